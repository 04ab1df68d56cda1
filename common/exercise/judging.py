"""From evidence to a verdict. Runs where student code never runs (in the student's own notebook: for advice only)."""

import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from common.exercise.base import Case, Exercise, Finding, Verdict
from common.exercise.evidence import Evidence, EvidenceStore, Piece, read_evidence
from common.exercise.graphs import MalformedEvidence
from common.exercise.probing import fixed_state
from common.exercise.shortcuts import find_shortcuts
from common.i18n import _

__all__ = ["judge_exercise", "judge_pieces", "read_evidence", "suspicious_pieces"]

Judged = tuple[str, list[Finding], Evidence | None]
"""Status of a case, findings on it, and its evidence where it could be read."""


def judge_exercise(
    exercise: Exercise, cases: Sequence[Mapping[str, Any]], store: EvidenceStore, sources: Sequence[str] = ()
) -> dict[str, Any]:
    """Judge one exercise of a submission on its public cases and on the hidden `cases`.

    Args:
        cases: the hidden cases, from the rebuilt notebook in memory, in order.
        store: what `read_evidence` found.
        sources: the student's own cells, in which shortcuts are searched.

    Returns:
        The verdict as plain data (`Verdict.as_dict`).

    Raises:
        Exception: the judge failed on well-formed evidence. That is our failure, never a 0.
    """
    hidden = [Case(**case) for case in cases]
    pieces = {c.digest: store.pieces.get((exercise.id, c.digest), []) for c in (*exercise.public_cases, *hidden)}
    return judge_pieces(exercise, hidden, pieces, sources).as_dict()


def suspicious_pieces(cases: Mapping[str, Sequence[Mapping[str, Any]]], store: EvidenceStore) -> list[dict[str, str]]:
    """Return notes on evidence that belongs to no case: `cases` are the hidden ones by exercise id."""
    from common.exercise.registry import find_exercise

    expected = {
        (exercise_id, case.digest)
        for exercise_id, hidden in cases.items()
        for case in (*find_exercise(exercise_id).public_cases, *(Case(**c) for c in hidden))
    }
    extra = sum(len(found) for key, found in store.pieces.items() if key not in expected)
    message = _("{n} pieces of evidence belong to no case of this assignment").format(n=extra)
    return store.notes + ([{"kind": "suspicion", "message": message}] if extra else [])


def judge_pieces(
    exercise: Exercise,
    hidden: Sequence[Case],
    pieces: Mapping[str, Sequence[Piece]],
    sources: Sequence[str] = (),
) -> Verdict:
    """Judge pieces of evidence by case digest; see `judge_exercise`."""
    notes: list[dict[str, str]] = []
    judged: list[tuple[str, bool, Judged]] = []
    for number, case in enumerate(exercise.public_cases, 1):
        judged.append((_("case {n}").format(n=number), False, _judge_case(exercise, case, pieces[case.digest], notes)))
    for number, case in enumerate(hidden, 1):
        label = _("hidden case {n}").format(n=number)
        judged.append((label, True, _judge_case(exercise, case, pieces[case.digest], notes)))

    shortcut = _shortcut(exercise, sources)
    if shortcut:
        judged.append(("", False, ("done", [shortcut], None)))
    per_case = [findings for _label, _hidden, (_status, findings, _ev) in judged]
    earned = {name: all(_holds(name, findings) for findings in per_case) for name in exercise.criteria}
    if shortcut or not per_case:
        earned = dict.fromkeys(earned, False)
    return Verdict(exercise, _status(judged), earned, _merge(exercise, judged), notes)


def _holds(criterion: str, findings: Iterable[Finding]) -> bool:
    mine = [f.passed for f in findings if f.criterion == criterion]
    return bool(mine) and all(mine) and not any(f.criterion is None and not f.passed for f in findings)


def _judge_case(exercise: Exercise, case: Case, pieces: Sequence[Piece], notes: list[dict[str, str]]) -> Judged:
    if not pieces:
        return "missing", [_general(_("There is no result for this case: the cell did not come to its end."))], None
    if len(pieces) > 1:
        message = _("{id}: {n} pieces of evidence for one case; it scores 0").format(id=exercise.id, n=len(pieces))
        notes.append({"kind": "suspicion", "message": message})
        return "done", [_general(_("There is more than one result for this case, so none counts."), "doubled")], None
    try:
        evidence = Evidence(exercise, pieces[0])
        if evidence.status in ("timeout", "died"):
            return evidence.status, [_ended_early(evidence.status)], evidence
        with fixed_state(int(case.seed)), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            return "done", list(_findings(exercise, case, evidence, notes)), evidence
    except MalformedEvidence as error:
        message = _("{id}: evidence is malformed: {e}").format(id=exercise.id, e=error)
        notes.append({"kind": "suspicion", "message": message})
        return "done", [_general(_("The result of this case cannot be read."), "malformed")], None


def _findings(exercise: Exercise, case: Case, evidence: Evidence, notes: list[dict[str, str]]) -> Iterable[Finding]:
    name = exercise.name
    match evidence.status:
        case "done" if exercise.must_return and evidence.facts.get("returned_none"):
            text = _("`{name}` returns nothing (None).").format(name=name)
            why = _("A function without `return` gives None, whatever it has computed. The caller needs the result.")
            return [_general(text, "returns-nothing", why=why)]
        case "done":
            return exercise.judge(case, evidence)
        case "raised":
            known = list(exercise.judge_raised(case, evidence))
            return known if any(not f.passed for f in known) else [*known, _raised(name, evidence)]
        case "stub":
            text = _("`{name}` is still as it was handed out: it raises NotImplementedError.").format(name=name)
            why = _("If you have written your answer already: the line `raise NotImplementedError()` is still in it.")
            return [_general(text, "stub", why=why)]
        case "not_found":
            text = _("There is no `{name}` yet: run the cell with your answer first, from top to bottom.")
            return [_general(text.format(name=name), "not-run")]
        case "syntax_error":
            text = _("The cell with `{name}` cannot be read by Python, so it did not run.").format(name=name)
            return [_general(text, "syntax-error", detail=_exception_text(evidence))]
        case "not_callable":
            kind = evidence.facts.get("type", "?")
            text = _("`{name}` is not something that can be called: it is of type {kind}.").format(name=name, kind=kind)
            return [_general(text, "not-callable")]
        case "wrong_parameters":
            wanted = f"{name}({', '.join(exercise.parameters or ())})"
            got = f"{name}{evidence.facts.get('signature', '')}"
            text = _("`{name}` does not take the parameters that the exercise asks for.").format(name=name)
            detail = _("asked for: {wanted}; yours: {got}").format(wanted=wanted, got=got)
            return [_general(text, "wrong-parameters", detail=detail)]
        case _:
            notes.append(
                {
                    "kind": "environment",
                    "message": _("{id}: the check itself failed: {e}").format(
                        id=exercise.id, e=_exception_text(evidence)
                    ),
                }
            )
            text = _("The check itself failed while it tried your answer. Please show this to your instructor.")
            return [_general(text, "broken-check", detail=_exception_text(evidence))]


def _general(symptom: str, misconception: str | None = None, detail: str = "", why: str = "") -> Finding:
    return Finding(None, False, misconception, symptom, why, detail)


def _raised(name: str, evidence: Evidence) -> Finding:
    exception = evidence.exception or {}
    during = exception.get("during") or _("`{name}` was called").format(name=name)
    kind = str(exception.get("type", "?"))
    kind = kind if kind in _known_exceptions() else _("An exception of your own")
    text = _("{type} was raised while {during}.").format(type=kind, during=during)
    return _general(text, "raised", detail=_exception_text(evidence))


def _known_exceptions() -> set[str]:
    """Names of the exceptions of Python and of the libraries here: a name that is made up may hold a hidden input."""
    found, todo = set[str](), [BaseException]
    while todo:
        kind = todo.pop()
        if kind.__name__ not in found:
            found.add(kind.__name__)
            todo += kind.__subclasses__()
    return found


def _ended_early(status: str) -> Finding:
    if status == "timeout":
        return _general(
            _("Your answer did not come to its end in the time allowed. Is there an endless loop?"), "timeout"
        )
    return _general(_("The process that ran your answer ended in the middle (exit, crash or out of memory)."), "died")


def _exception_text(evidence: Evidence) -> str:
    if not evidence.exception:
        return ""
    # torch.fx adds where in the model's own source a failing node comes from; that is no help here.
    message = evidence.exception["message"].partition("\nOriginal traceback:")[0]
    lines = [*evidence.exception["frames"], f"{evidence.exception['type']}: {message}"]
    return "\n".join(lines)


def _shortcut(exercise: Exercise, sources: Sequence[str]) -> Finding | None:
    found = find_shortcuts(sources, exercise.name, exercise.not_allowed)
    if not found:
        return None
    text = _("The answer uses {names}, which does the job of this exercise and is not allowed here.")
    why = _("The exercise is about doing it by hand, so that you know what happens inside.")
    if exercise.kind == "prediction":
        why = _("This is a prediction: work it out by hand, and return the value. A cell below shows what happens.")
    return _general(text.format(names=", ".join(f"`{n}`" for n in found)), "shortcut", why=why)


def _status(judged: Sequence[tuple[str, bool, Judged]]) -> str:
    statuses = {status for _label, _hidden, (status, _findings, _ev) in judged}
    return next((s for s in ("timeout", "died", "missing") if s in statuses), "scored")


def _merge(exercise: Exercise, judged: Sequence[tuple[str, bool, Judged]]) -> list[dict[str, Any]]:
    """Failed findings, each once, with the cases it occurred in; details of public cases only."""
    merged: dict[tuple[str | None, str | None, str], dict[str, Any]] = {}
    ended_early = _status(judged) in ("timeout", "died")
    for label, hidden, (status, findings, evidence) in judged:
        if ended_early and status == "missing":
            continue  # it was not tried any more; the finding about the case that ended early says why
        for f in findings:
            if f.passed:
                continue
            entry = merged.setdefault(
                (f.criterion, f.misconception, f.symptom),
                {
                    "criterion": f.criterion,
                    "misconception": f"{exercise.id}/{f.misconception}" if f.misconception else None,
                    "symptom": f.symptom,
                    "why": f.why,
                    "cases": [],
                    "detail": "",
                    "picture": None,
                },
            )
            if label and label not in entry["cases"]:
                entry["cases"].append(label)
            if not hidden and not entry["detail"]:
                entry["detail"] = f.detail
            if not hidden and entry["picture"] is None and f.graph and evidence is not None:
                entry["picture"] = {
                    "graph": evidence.graph(f.graph).raw,
                    "mark": [list(m) if isinstance(m, tuple) else m for m in f.mark],
                }
    return list(merged.values())
