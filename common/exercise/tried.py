"""One criterion after the other: for test files of systems that count test cases, such as otter's.

Student's side: it says what is right on the public cases, and decides nothing.
"""

from common.exercise.base import Verdict
from common.exercise.notebook import CheckFailed, public_verdict
from common.i18n import _


class Tried:
    """The notebook's answer to an exercise; it is tried on the public cases when the first criterion is asked for."""

    def __init__(self, exercise_id: str) -> None:
        self.exercise_id = exercise_id
        self._verdict: Verdict | None = None

    def criterion(self, name: str) -> None:
        """Do nothing where a criterion holds in every public case.

        Raises:
            CheckFailed: it does not; the message is what the judge found.
            UnknownExercise: no exercise has this id.
        """
        if self._verdict is None:
            self._verdict = public_verdict(self.exercise_id)
        if self._verdict.earned[name]:
            return
        findings = self._verdict.findings
        concerned = [f for f in findings if f["criterion"] in (None, name)] or findings
        lines: dict[str, None] = {}
        for finding in concerned:
            lines |= dict.fromkeys([finding["symptom"], *finding["detail"].splitlines()])
            if finding["why"]:
                lines[_("Why: {text}").format(text=finding["why"])] = None
        raise CheckFailed("\n".join(lines) or _("not solved yet"))
