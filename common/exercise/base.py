"""What an author of an exercise writes: a subclass of Exercise with a probe and a judge."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from common.i18n import _

if TYPE_CHECKING:
    from common.exercise.evidence import Evidence, Recorder

Kind = Literal["core", "practice", "prediction"]


class NotJudged(Exception):
    """Raised at the end of a graded cell, so that a grader without the judging step gives no points."""


class Case(Mapping[str, Any]):
    """The input of one try of an answer: plain literals only, never an expected value.

    Values are reached as attributes (``case.model``) or items; `seed` is 0 where it is not given.
    """

    def __init__(self, **values: Any) -> None:
        self._values = {"seed": 0} | values
        try:
            self._canonical = json.dumps(self._values, sort_keys=True, allow_nan=False, ensure_ascii=True)
        except (TypeError, ValueError) as error:
            message = _("a case holds plain literals only (it must fit into JSON): {e}")
            raise TypeError(message.format(e=error)) from None

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __getattr__(self, key: str) -> Any:
        try:
            return self.__dict__["_values"][key]
        except KeyError:
            raise AttributeError(f"this case has no value {key!r}") from None

    def __iter__(self):
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Case({', '.join(f'{k}={v!r}' for k, v in self._values.items())})"

    @property
    def digest(self) -> str:
        """SHA-256 of the case in canonical JSON, as 64 hex digits: what ties evidence to its case."""
        return hashlib.sha256(self._canonical.encode()).hexdigest()


@dataclass(frozen=True)
class Finding:
    """What the judge found on one criterion in one case.

    Attributes:
        criterion: a key of the exercise's `criteria`; None: it concerns the exercise as a whole.
        passed: whether the criterion holds in this case.
        misconception: its short id (``"self-loop"``) when the cause is known.
        symptom: what happened, in a sentence that gives away neither input nor expected value.
        why: the wrong idea behind it, shown on request and in graded feedback.
        detail: what was expected and got; shown for public cases only.
        graph: the name of the recorded graph in which `mark` (nodes, or edges as pairs) is wrong.
    """

    criterion: str | None
    passed: bool
    misconception: str | None = None
    symptom: str = ""
    why: str = ""
    detail: str = ""
    graph: str | None = None
    mark: tuple[str | tuple[str, str], ...] = ()


class Exercise:
    """One exercise: its description, its probe (student's process) and its judge (never there).

    Symptoms, `misconceptions` and `hints` are translated where they are used; write them as plain English.
    A subclass has a one-line docstring ("name(args): what it does") and sets the attributes below.
    """

    id: ClassVar[str]
    """``"m02_2.insert_after"``; the part behind the dot is the name of the answer in the notebook."""
    kind: ClassVar[Kind]
    minutes: ClassVar[int]
    criteria: ClassVar[Mapping[str, int]]
    """Points by criterion; a criterion is earned when it holds in every case. Predictions have 0 points."""
    public_cases: ClassVar[tuple[Case, ...]]
    misconceptions: ClassVar[Mapping[str, str]] = {}
    """The known wrong ideas: short id → the sentence that names it (`why`)."""
    not_allowed: ClassVar[tuple[str, ...]] = ()
    """Names of functions and classes that do the job themselves."""
    hints: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[str, ...] | None] = None
    """Names of the answer's parameters in order, where the answer is called; None for a value."""
    must_return: ClassVar[bool] = False
    """Whether an answer that returns None gets a sentence of its own, and nothing else is judged."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Parts of `common.platform_checks` without which `check` has nothing to try; a grader asks the lesson's."""
    facts: ClassVar[Mapping[str, Any]] = {}
    """What the probe records: fact → JSON Schema (`GRAPH` and `TENSOR` of `evidence` for those two)."""

    lesson: ClassVar[str]
    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.lesson, _dot, cls.name = cls.id.partition(".")
        if not cls.name:
            raise TypeError(f"{cls.__name__}.id must look like 'm02_2.insert_after', not {cls.id!r}")
        if cls.kind not in get_args(Kind):
            raise TypeError(f"{cls.id}: kind must be one of {get_args(Kind)}, not {cls.kind!r}")
        if not cls.criteria or (cls.kind == "prediction") != (sum(cls.criteria.values()) == 0):
            raise TypeError(f"{cls.id}: criteria need points above 0, and a prediction 0 points")

    @property
    def points(self) -> int:
        """The most points that an answer can earn."""
        return sum(self.criteria.values())

    @property
    def title(self) -> str:
        """The first line of the docstring: ``"insert_after(gm, …): splice a call_module behind a node"``."""
        return (type(self).__doc__ or self.id).strip().splitlines()[0].rstrip(".")

    @property
    def module(self) -> str:
        """The module (= nbgrader assignment) the lesson belongs to, such as ``"m02_by_hand"``."""
        from common.lessons import find_lesson

        return find_lesson(self.lesson).module

    def probe(self, answer: Any, case: Case, ev: "Recorder") -> None:
        """Call `answer` on `case` and record raw observations with `ev`; no verdicts."""
        raise NotImplementedError

    def judge(self, case: Case, evidence: "Evidence") -> Iterable[Finding]:
        """Return the findings for one case whose probe ran to its end."""
        raise NotImplementedError

    def judge_raised(self, case: Case, evidence: "Evidence") -> Iterable[Finding]:
        """Return what is known when the student's code raised; the general sentence is added where this is empty."""
        return ()

    # The two ways to make a finding; `why` stands once, in `misconceptions`.

    def passed(self, criterion: str) -> Finding:
        """The criterion holds in this case."""
        return Finding(self._known(criterion), True)

    def failed(self, criterion: str, misconception: str | None, symptom: str, **more: Any) -> Finding:
        """The criterion does not hold; `misconception` is a key of `misconceptions`, or None when unknown."""
        why = _(self.misconceptions[misconception]) if misconception else ""
        return Finding(self._known(criterion), False, misconception, _(symptom), why, **more)

    def _known(self, criterion: str) -> str:
        if criterion not in self.criteria:
            raise KeyError(f"{self.id} has no criterion {criterion!r}")
        return criterion


@dataclass(frozen=True)
class Verdict:
    """The judge's result for one exercise: `as_dict` gives the form that results and feedback use."""

    exercise: Exercise
    status: str
    earned: Mapping[str, bool]
    findings: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every criterion is earned."""
        return all(self.earned.values())

    @property
    def score(self) -> int:
        """The points of the criteria that are earned."""
        return sum(p for name, p in self.exercise.criteria.items() if self.earned[name])

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: id, kind, score, max_score, status, passed, criteria, findings, notes."""
        return {
            "id": self.exercise.id,
            "kind": self.exercise.kind,
            "score": self.score,
            "max_score": self.exercise.points,
            "status": self.status,
            "passed": self.passed,
            "criteria": [
                {"name": name, "score": p if self.earned[name] else 0, "max_score": p, "passed": self.earned[name]}
                for name, p in self.exercise.criteria.items()
            ],
            "findings": self.findings,
            "notes": self.notes,
        }
