"""Evidence: what a probe saw in the student's process, as JSON and safetensors, and how a judge reads it.

Evidence is raw observation, never a verdict. It crosses from a process that is not trusted to one that
is, so reading it never unpickles, never follows a link, and checks size and schema first.
"""

import json
import math
import os
import stat
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.env import without_iri_grammar
from common.exercise.base import Case, Exercise
from common.exercise.graphs import GRAPH, GraphFacts, MalformedEvidence, graph_facts
from common.exercise.tracebacks import exception_facts
from common.i18n import _

if TYPE_CHECKING:
    import torch

SCHEMA_ID = "pt2e-kit.evidence/1"
MAX_CASE_BYTES = 4 * 2**20
MAX_SUBMISSION_BYTES = 16 * 2**20
MAX_PIECES = 500
MAX_TEXT = 2000
MAX_BITS = 512
"""Larger integers are recorded as infinite."""

TENSOR: dict[str, Any] = {
    "type": "object",
    "required": ["tensor"],
    "properties": {"tensor": {"type": "string", "maxLength": 100}},
    "additionalProperties": False,
}
"""JSON Schema of a recorded tensor: its key in the safetensors part."""

NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "object", "required": ["float"]}]}
"""JSON Schema of a number that may be nan or infinite (those are tagged)."""

STATUSES = (
    "done",
    "raised",  # the student's code raised
    "stub",  # it raised NotImplementedError: still as it was handed out
    "not_found",  # no answer of that name: the cell was not run
    "syntax_error",  # the answer cell cannot be parsed
    "not_callable",
    "wrong_parameters",
    "timeout",  # the three below are written by the process that waits for the case
    "died",
    "broken",  # our probe failed
)

_ENVELOPE = {
    "type": "object",
    "required": ["schema", "exercise", "case", "status", "exception", "facts", "stdout"],
    "properties": {
        "schema": {"const": SCHEMA_ID},
        "exercise": {"type": "string"},
        "case": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "status": {"enum": list(STATUSES)},
        "exception": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "required": ["type", "message", "frames"],
                    "properties": {
                        "type": {"type": "string"},
                        "message": {"type": "string"},
                        "frames": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
                        "during": {"type": "string"},
                    },
                },
            ]
        },
        "facts": {"type": "object"},
        "stdout": {"type": "string"},
    },
    "additionalProperties": False,
}


class StudentStopped(Exception):
    """The student's code ended the probe; what happened is in the evidence."""


@dataclass(frozen=True)
class Piece:
    """The evidence of one case as it is written: JSON text and a safetensors block (empty: no tensors)."""

    text: str
    tensors: bytes = b""

    @property
    def size(self) -> int:
        """Bytes of both parts."""
        return len(self.text.encode()) + len(self.tensors)


class Recorder:
    """Records what happens while an answer is tried on one case; handed to `Exercise.probe` as `ev`."""

    def __init__(self, exercise: Exercise, case: Case) -> None:
        self.exercise, self.case = exercise, case
        self.status = "done"
        self.exception: dict[str, Any] | None = None
        self.stdout = ""
        self._facts: dict[str, Any] = {}
        self._tensors: dict[str, torch.Tensor] = {}

    @contextmanager
    def student(self, during: str = "") -> Iterator[None]:
        """Wrap each place where the student's code runs: an exception inside is the student's.

        `during` says in words what was being done when it is not the plain call of the answer.
        """
        try:
            yield
        except StudentStopped:
            raise
        except KeyboardInterrupt:
            if os.environ.get("PT2E_KIT_EVIDENCE") is None:
                raise  # the student pressed stop
            self._stop("raised", KeyboardInterrupt("interrupted"), during)
        except NotImplementedError as error:
            self._stop("stub" if not during and not str(error) else "raised", error, during)
        except BaseException as error:  # SystemExit and friends included: it is still the answer's doing
            self._stop("raised", error, during)

    def call(self, answer: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the answer as the student's code, after a look at whether it takes these arguments."""
        import inspect

        if not callable(answer):
            self.fact("type", type(answer).__name__)
            self.status = "not_callable"
            raise StudentStopped
        try:
            signature = inspect.signature(answer)
        except (TypeError, ValueError):
            signature = None
        if signature is not None:
            try:
                signature.bind(*args, **kwargs)
            except TypeError:
                self.fact("signature", str(signature)[:200])
                self.status = "wrong_parameters"
                raise StudentStopped from None
        with self.student():
            returned = answer(*args, **kwargs)
        if returned is None:
            self.fact("returned_none", True)
            if self.exercise.must_return:
                raise StudentStopped
        return returned

    def fact(self, name: str, value: Any) -> None:
        """Record a plain value; tensors inside become plain numbers only through `tensor`."""
        self._facts[name] = _encode(value)

    def graph(self, name: str, gm: Any) -> None:
        """Record nodes, edges and called modules of a GraphModule; of anything else only its type."""
        from torch import fx

        if isinstance(gm, fx.GraphModule):
            self._facts[name] = graph_facts(gm)
        else:
            self._facts[name] = {"nodes": [], "modules": {}, "not_a_graph": type(gm).__name__}

    def tensor(self, name: str, value: Any) -> None:
        """Record a tensor (dense, CPU, detached); of anything else only its type, under ``<name>_type``."""
        import torch

        if not isinstance(value, torch.Tensor):
            self._facts[f"{name}_type"] = type(value).__name__
            return
        self._tensors[name] = value.detach().to("cpu").to_dense().contiguous().clone()
        self._facts[name] = {"tensor": name}

    def piece(self) -> Piece:
        """Return what was recorded in the form in which it is written."""
        import safetensors.torch

        tensors = safetensors.torch.save(self._tensors) if self._tensors else b""
        return Piece(
            envelope(
                self.exercise.id,
                self.case.digest,
                self.status,
                exception=self.exception,
                facts=self._facts,
                stdout=self.stdout[-MAX_TEXT:],
            ),
            tensors,
        )

    def broken(self, error: BaseException) -> None:
        """Record that our own probe failed."""
        self.status, self.exception = "broken", exception_facts(error, ours=True)

    def _stop(self, status: str, error: BaseException, during: str) -> None:
        self.status, self.exception = status, exception_facts(error) | {"during": during}
        raise StudentStopped from None


def envelope(exercise_id: str, digest: str, status: str, **more: Any) -> str:
    """Return the JSON text of one piece of evidence."""
    content = {"schema": SCHEMA_ID, "exercise": exercise_id, "case": digest, "status": status}
    return json.dumps(content | {"exception": None, "facts": {}, "stdout": ""} | more, allow_nan=False)


def write_piece(folder: Path, exercise_id: str, digest: str, piece: Piece) -> None:
    """Write a piece whole or not at all, under a name of its own."""
    stem = folder / f"{exercise_id}-{digest[:12]}-{uuid.uuid4().hex[:8]}"
    if piece.tensors:
        stem.with_name(stem.name + ".safetensors").write_bytes(piece.tensors)
    part = stem.with_name(stem.name + ".part")
    part.write_text(piece.text, encoding="utf-8")
    part.rename(stem.with_name(stem.name + ".json"))


def _encode(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, int) and value.bit_length() > MAX_BITS:  # no float and no tensor holds it
        return {"float": "inf" if value > 0 else "-inf"}
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value[:MAX_TEXT].encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {str(k): _encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(v) for v in value]
    return {"other": type(value).__name__}


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"float"} and value["float"] in ("nan", "inf", "-inf"):
            return float(value["float"])
        return {k: _decode(v) for k, v in value.items()}
    return [_decode(v) for v in value] if isinstance(value, list) else value


class Evidence:
    """One piece of evidence as the judge reads it: checked against the schema, and still not trusted."""

    def __init__(self, exercise: Exercise, piece: Piece) -> None:
        with without_iri_grammar():
            import jsonschema

        if piece.size > MAX_CASE_BYTES:
            raise MalformedEvidence(_("it is larger than {mib} MiB").format(mib=MAX_CASE_BYTES // 2**20))
        try:
            raw = json.loads(piece.text, parse_constant=_refuse_constant, parse_int=_read_int, parse_float=_read_float)
            schema = _ENVELOPE | {"properties": _ENVELOPE["properties"] | {"facts": _facts_schema(exercise)}}
            jsonschema.Draft202012Validator(schema).validate(raw)
        except RecursionError:
            raise MalformedEvidence("it is nested too deeply") from None
        except (ValueError, jsonschema.ValidationError) as error:
            raise MalformedEvidence(str(error).splitlines()[0][:200]) from None
        self.status: str = raw["status"]
        self.exception: dict[str, Any] | None = raw["exception"]
        self.stdout: str = raw["stdout"]
        self._raw_facts = raw["facts"]
        self.facts: dict[str, Any] = _decode(raw["facts"])
        self._tensors = piece.tensors
        self._loaded: dict[str, torch.Tensor] | None = None

    def has(self, name: str) -> bool:
        """Whether the fact was recorded."""
        return name in self.facts

    def graph(self, name: str) -> GraphFacts:
        """Return a recorded graph.

        Raises:
            MalformedEvidence: it was not recorded.
        """
        if name not in self._raw_facts:
            raise MalformedEvidence(f"graph {name!r} was not recorded")
        return GraphFacts(self._raw_facts[name])

    def tensor(self, name: str) -> "torch.Tensor":
        """Return a recorded tensor.

        Raises:
            MalformedEvidence: it was not recorded, or the block of tensors is damaged.
        """
        import safetensors.torch

        if self._loaded is None:
            try:
                self._loaded = safetensors.torch.load(self._tensors) if self._tensors else {}
            except Exception as error:
                raise MalformedEvidence(f"the tensors cannot be read: {error}") from None
        key = self.facts.get(name, {}).get("tensor") if isinstance(self.facts.get(name), dict) else None
        if key not in self._loaded:
            raise MalformedEvidence(f"tensor {name!r} was not recorded")
        return self._loaded[key]


def _facts_schema(exercise: Exercise) -> dict[str, Any]:
    known = dict(exercise.facts) | {"type": {"type": "string"}, "signature": {"type": "string"}}
    known["returned_none"] = {"type": "boolean"}
    graph_or_other = GRAPH | {"properties": GRAPH["properties"] | {"not_a_graph": {"type": "string"}}}
    known = {k: graph_or_other if v is GRAPH else v for k, v in known.items()}
    known |= {f"{k}_type": {"type": "string"} for k, v in exercise.facts.items() if v is TENSOR}
    return {"type": "object", "properties": known, "additionalProperties": False}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _read_int(text: str) -> int:
    if len(text) > MAX_BITS * 0.302 + 2:  # digits for a bit
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _read_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not finite")
    return value


@dataclass
class EvidenceStore:
    """All evidence of one submission, by exercise and case."""

    pieces: dict[tuple[str, str], list[Piece]] = field(default_factory=dict)
    notes: list[dict[str, str]] = field(default_factory=list)

    def add(self, exercise_id: str, digest: str, piece: Piece) -> None:
        """Keep one more piece for a case."""
        self.pieces.setdefault((exercise_id, digest), []).append(piece)

    def note(self, message: str) -> None:
        """Add a suspicion: something lies there that no probe of ours writes."""
        self.notes.append({"kind": "suspicion", "message": message})


def read_evidence(folder: Path) -> EvidenceStore:
    """Read the evidence files of a submission; links, pipes, foreign and oversized files are noted, not read."""
    store, total = EvidenceStore(), 0
    for number, entry in enumerate(sorted(os.scandir(folder), key=lambda e: e.name)):
        if number >= MAX_PIECES * 2:
            store.note(_("there are more than {n} files of evidence; the rest was not read").format(n=number))
            break
        if entry.name.endswith((".safetensors", ".part")) and entry.is_file(follow_symlinks=False):
            continue  # read with its .json; a .part was cut off while it was written
        path = Path(entry.path)
        text = _read_plain_file(path)
        if not entry.name.endswith(".json") or text is None:
            store.note(_("a file among the evidence is not ours: {name!r}").format(name=entry.name[:80]))
            continue
        tensors = _read_plain_file(path.with_suffix(".safetensors")) or b""
        total += len(text) + len(tensors)
        if total > MAX_SUBMISSION_BYTES:
            mib = MAX_SUBMISSION_BYTES // 2**20
            store.note(_("the evidence is larger than {mib} MiB; the rest was not read").format(mib=mib))
            break
        try:
            content = json.loads(text)
            key = (str(content["exercise"]), str(content["case"]))
            store.add(*key, Piece(text.decode("utf-8"), tensors))
        except (ValueError, KeyError, TypeError, RecursionError):
            store.note(_("a piece of evidence cannot be read: {name!r}").format(name=entry.name[:80]))
    return store


def _read_plain_file(path: Path) -> bytes | None:
    """Return the bytes of a regular file of at most MAX_CASE_BYTES + 1, or None; never follows a link or waits."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_CASE_BYTES + 1)
