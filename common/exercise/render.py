"""A verdict for people: HTML for notebooks and feedback pages, plain text everywhere else."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from common.i18n import _

GOOD, BAD = "#0072B2", "#D55E00"  # Okabe–Ito blue and vermillion; the signs ✓ and ✗ carry the meaning
MOST_PLACES, MOST_LINES = 6, 4
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w(?:[^*<>]*\w)?)\*(?![\w*])")


@dataclass(frozen=True)
class Offer:
    """What a check offers beside its verdict: hints while something is wrong, afterwards what to do next."""

    hints: Sequence[str] = ()
    shown: int = 0
    """How many of the hints were shown already, by `hint`."""
    next: str = ""
    """What to do next, as a sentence; empty: nothing is offered."""


NO_OFFER = Offer()


def verdict_mimebundle(verdict: Mapping[str, Any], *, graded: bool = False, offer: Offer = NO_OFFER) -> dict[str, str]:
    """Return ``text/html`` and ``text/plain`` of a verdict (`Verdict.as_dict`). Everything in it is escaped.

    In graded feedback `why` is open, and no hints are offered.
    """
    return {
        "text/html": verdict_html(verdict, graded=graded, offer=offer),
        "text/plain": verdict_text(verdict, graded=graded, offer=offer),
    }


def show(verdict: Mapping[str, Any], offer: Offer = NO_OFFER) -> None:
    """Show a verdict: as HTML in a notebook, else printed; with a picture of a wrong graph where there is one."""
    import sys

    shell = ipython.get_ipython() if (ipython := sys.modules.get("IPython")) else None
    if shell is None or "ZMQ" not in type(shell).__name__:
        print(verdict_text(verdict, offer=offer))
        return
    from IPython.display import display

    display(verdict_mimebundle(verdict, offer=offer), raw=True)
    for finding in verdict["findings"]:
        if finding["picture"]:
            _draw_wrong_graph(finding)
            break


def _draw_wrong_graph(finding: Mapping[str, Any]) -> None:
    from common.viz import draw, picture_from_facts

    raw = finding["picture"]["graph"]
    names = {node["name"] for node in raw["nodes"]}
    marks = [tuple(m) if isinstance(m, list) else m for m in finding["picture"]["mark"]]
    mark = [m for m in marks if ({m} if isinstance(m, str) else set(m)) <= names]  # a judge may name what is missing
    draw(picture_from_facts(raw["nodes"], raw["modules"]), mark=mark, title=_("Your graph"))


def _head(verdict: Mapping[str, Any]) -> str:
    """The first line, without its sign."""
    if verdict["passed"]:
        text = _("{id}: solved") if verdict["kind"] != "prediction" else _("{id}: right")
    else:
        text = _("{id}: not yet")
    if verdict["max_score"]:
        text += _(" ({score} of {max} points)")
    return text.format(id=verdict["id"], score=_number(verdict["score"]), max=_number(verdict["max_score"]))


def _number(value: float) -> str:
    return f"{value:g}"


def _each_once(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Findings that say the same on several criteria are told once."""
    return list({(f["symptom"], f["detail"], f["why"]): f for f in reversed(findings)}.values())[::-1]


def _marked(finding: Mapping[str, Any]) -> str:
    """The marked places of a wrong graph in words: for a terminal, and for who does not see the picture."""
    marks = finding["picture"]["mark"] if finding["picture"] else []
    places = [m if isinstance(m, str) else " → ".join(m) for m in marks]
    if len(places) > MOST_PLACES:
        places = [*places[:MOST_PLACES], "…"]
    return _("Marked in your graph: {places}").format(places=", ".join(places)) if places else ""


def verdict_text(
    verdict: Mapping[str, Any],
    *,
    graded: bool = False,
    offer: Offer = NO_OFFER,
    why: bool = True,
    hint_call: bool = True,
) -> str:
    """Return a verdict as plain text.

    Without `why` the wrong ideas behind its findings are left out; without `hint_call` the line that says how to
    get a hint in a notebook.
    """
    lines = [_sign(verdict["passed"]) + " " + _head(verdict)]
    for finding in _each_once(verdict["findings"]):
        lines += ["", f"  {finding['symptom']}" + _where(finding)]
        if finding["detail"]:
            lines += ["    " + line for line in finding["detail"].splitlines()]
        if marked := _marked(finding):
            lines.append("    " + marked)
        if finding["why"] and why:
            lines.append("    " + _("Why: {text}").format(text=finding["why"]))
    if verdict["findings"]:
        lines.append("")
    lines += [f"  {_sign(c['passed'])} {c['name']}" + _points(c) for c in verdict["criteria"]]
    if not verdict["passed"] and not graded and hint_call:
        lines += ["", "  " + _('For a hint: hint("{id}")').format(id=verdict["id"])]
    if verdict["passed"] and offer.next:
        lines += ["", "  " + offer.next]
    return "\n".join(lines)


def _sign(passed: bool) -> str:
    return "✓" if passed else "✗"


def _points(criterion: Mapping[str, Any]) -> str:
    return f" ({_number(criterion['score'])}/{_number(criterion['max_score'])})" if criterion["max_score"] else ""


def _where(finding: Mapping[str, Any]) -> str:
    return f" [{', '.join(finding['cases'])}]" if finding["cases"] else ""


def verdict_html(verdict: Mapping[str, Any], *, graded: bool = False, offer: Offer = NO_OFFER) -> str:
    """Return a verdict as HTML in the page's own colours, so that it reads in light and dark themes.

    What went wrong first stands open, and further findings below it; `why` and hints unfold, by mouse or keyboard.
    """
    colour = GOOD if verdict["passed"] else BAD
    label = html.escape(_("Result of the check of {id}").format(id=verdict["id"]))
    parts = [
        f'<div class="pt2e-verdict" role="group" aria-label="{label}" '
        f'style="border-left:4px solid {colour};padding:.2em 0 .2em .8em;margin:.4em 0">',
        f"<p style='margin:.2em 0'><strong>{_html_sign(verdict['passed'])} {html.escape(_head(verdict))}</strong></p>",
    ]
    first, *others = [_finding_html(f, graded) for f in _each_once(verdict["findings"])] or [""]
    parts.append(first)
    if graded or len(others) < 2:
        parts += others
    else:
        parts.append(_unfold(_("{n} more findings").format(n=len(others)), "".join(others)))
    rows = (
        f"<li style='display:inline-block;margin:0 1.2em 0 0'>{_html_sign(c['passed'])} "
        f"{html.escape(c['name'] + _points(c))}</li>"
        for c in verdict["criteria"]
    )
    parts.append(f"<ul style='margin:.5em 0 .2em;padding:0;list-style:none'>{''.join(rows)}</ul>")
    if not verdict["passed"] and not graded:
        parts.append(_hints_html(verdict["id"], offer))
    if verdict["passed"] and offer.next:
        parts.append(f"<p style='margin:.2em 0'>{_ticks(offer.next)}</p>")
    return "".join([*parts, "</div>"])


def _html_sign(passed: bool) -> str:
    """The sign; a screen reader says the word instead."""
    word = html.escape(_("right") if passed else _("wrong"))
    return f'<span role="img" aria-label="{word}">{_sign(passed)}</span>'


def _finding_html(finding: Mapping[str, Any], graded: bool) -> str:
    e = html.escape
    parts = [f"<p style='margin:.5em 0 .2em'>{_ticks(finding['symptom'])}"]
    parts.append(f" <small>{e(_where(finding).strip())}</small></p>" if finding["cases"] else "</p>")
    if finding["detail"]:
        parts.append(_detail_html(finding["detail"], graded))
    if marked := _marked(finding):
        parts.append(f"<p style='margin:.2em 0 .2em 1em'>{e(marked)}</p>")
    if finding["why"]:
        why = _ticks(finding["why"])
        if graded:
            parts.append(f"<p style='margin:.2em 0 .2em 1em'>{e(_('Why:'))} {why}</p>")
        else:
            parts.append(_unfold(_("why?"), why))
    return "".join(parts)


def _detail_html(detail: str, graded: bool) -> str:
    """Expected and got; of something long, such as a traceback, the last line, and the whole of it to unfold."""
    lines = detail.splitlines()
    if len(lines) > MOST_LINES and not graded:
        return _pre(lines[-1]) + _unfold(_("all {n} lines").format(n=len(lines)), _pre(detail))
    return _pre(detail)


def _pre(text: str) -> str:
    return f"<pre style='margin:.2em 0 .2em 1em;white-space:pre-wrap'>{html.escape(text)}</pre>"


def _unfold(title: str, inside: str) -> str:
    summary = f"<summary style='cursor:pointer'>{html.escape(title)}</summary>"
    return f"<details style='margin:.2em 0 .2em 1em'>{summary}{inside}</details>"


def _hints_html(exercise_id: str, offer: Offer) -> str:
    """The hints, folded one into the other, so that each has to be asked for; from the first not seen yet."""
    total, shown = len(offer.hints), offer.shown
    if not total:
        text = _ticks(_("For a hint: `hint({id!r})`").format(id=exercise_id))
        return f"<p style='margin:.2em 0'><small>{text}</small></p>"
    inside = ""
    for number in range(total, min(shown, total - 1), -1):  # the innermost first
        title = _("Hint {n} of {total}").format(n=number, total=total)
        inside = _unfold(title, f"<p style='margin:.2em 0'>{_ticks(offer.hints[number - 1])}</p>{inside}")
    return inside


def _ticks(text: str) -> str:
    """Escape, and set `code` in code type and *words* in italics."""
    pieces = html.escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else _EMPHASIS.sub(r"<em>\1</em>", p) for i, p in enumerate(pieces))
