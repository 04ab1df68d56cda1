"""A verdict for people: HTML for notebooks and feedback pages, plain text everywhere else."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from common.i18n import _

GOOD, BAD = "#0072B2", "#D55E00"  # Okabe–Ito blue and vermillion; the signs ✓ and ✗ carry the meaning


def verdict_mimebundle(verdict: Mapping[str, Any], *, graded: bool = False) -> dict[str, str]:
    """Return ``text/html`` and ``text/plain`` of a verdict (`Verdict.as_dict`). Everything in it is escaped.

    In graded feedback `why` is open, and no hints are offered.
    """
    return {"text/html": verdict_html(verdict, graded=graded), "text/plain": verdict_text(verdict, graded=graded)}


def show(verdict: Mapping[str, Any]) -> None:
    """Show a verdict: as HTML in a notebook, else printed; with a picture of a wrong graph where there is one."""
    import sys

    shell = ipython.get_ipython() if (ipython := sys.modules.get("IPython")) else None
    if shell is None or "ZMQ" not in type(shell).__name__:
        print(verdict_text(verdict))
        return
    from IPython.display import display

    display(verdict_mimebundle(verdict), raw=True)
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
    if verdict["passed"]:
        text = _("✓ {id}: solved") if verdict["kind"] != "prediction" else _("✓ {id}: right")
    else:
        text = _("✗ {id}: not yet")
    if verdict["max_score"]:
        text += _(" ({score} of {max} points)")
    return text.format(id=verdict["id"], score=_number(verdict["score"]), max=_number(verdict["max_score"]))


def _number(value: float) -> str:
    return f"{value:g}"


def _each_once(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Findings that say the same on several criteria are told once."""
    return list({(f["symptom"], f["detail"], f["why"]): f for f in reversed(findings)}.values())[::-1]


def verdict_text(verdict: Mapping[str, Any], *, graded: bool = False) -> str:
    """Return a verdict as plain text."""
    lines = [_head(verdict)]
    for finding in _each_once(verdict["findings"]):
        lines += ["", f"  {finding['symptom']}" + _where(finding)]
        if finding["detail"]:
            lines += ["    " + line for line in finding["detail"].splitlines()]
        if finding["why"]:
            lines.append("    " + _("Why: {text}").format(text=finding["why"]))
    if verdict["findings"]:
        lines.append("")
    lines += [f"  {'✓' if c['passed'] else '✗'} {c['name']}" + _points(c) for c in verdict["criteria"]]
    if not verdict["passed"] and not graded:
        lines += ["", "  " + _('For a hint: hint("{id}")').format(id=verdict["id"])]
    return "\n".join(lines)


def _points(criterion: Mapping[str, Any]) -> str:
    return f" ({_number(criterion['score'])}/{_number(criterion['max_score'])})" if criterion["max_score"] else ""


def _where(finding: Mapping[str, Any]) -> str:
    return f" [{', '.join(finding['cases'])}]" if finding["cases"] else ""


def verdict_html(verdict: Mapping[str, Any], *, graded: bool = False) -> str:
    """Return a verdict as HTML that reads in light and dark themes; `why` stands behind a disclosure."""
    e = html.escape
    colour = GOOD if verdict["passed"] else BAD
    parts = [
        f'<div class="pt2e-verdict" style="border-left:4px solid {colour};padding:.2em 0 .2em .8em;margin:.4em 0">',
        f"<p style='margin:.2em 0'><strong>{e(_head(verdict))}</strong></p>",
    ]
    for finding in _each_once(verdict["findings"]):
        parts.append(f"<p style='margin:.5em 0 .2em'>{_ticks(finding['symptom'])}")
        parts.append(f" <small>{e(_where(finding).strip())}</small></p>" if finding["cases"] else "</p>")
        if finding["detail"]:
            parts.append(f"<pre style='margin:.2em 0 .2em 1em;white-space:pre-wrap'>{e(finding['detail'])}</pre>")
        if finding["why"]:
            why = _ticks(finding["why"])
            if graded:
                parts.append(f"<p style='margin:.2em 0 .2em 1em'>{e(_('Why:'))} {why}</p>")
            else:
                parts.append(f"<details style='margin-left:1em'><summary>{e(_('why?'))}</summary>{why}</details>")
    rows = (f"{'✓' if c['passed'] else '✗'} {e(c['name'])}{e(_points(c))}" for c in verdict["criteria"])
    parts.append(f"<p style='margin:.5em 0 .2em'>{' &nbsp; '.join(rows)}</p>")
    if not verdict["passed"] and not graded:
        hint = _ticks(_("For a hint: `hint({id!r})`").format(id=verdict["id"]))
        parts.append(f"<p style='margin:.2em 0'><small>{hint}</small></p>")
    return "".join([*parts, "</div>"])


def _ticks(text: str) -> str:
    """Escape, and set `code` in code type."""
    pieces = html.escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
