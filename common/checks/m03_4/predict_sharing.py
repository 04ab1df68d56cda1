"""Say what becomes of two labels, from the labels alone."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m03_1._labels import make_spec
from common.checks.m03_4 import _places as pl
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

WORDS = ("one", "shared", "chained", "parallel", "apart")

# A pair of labels in a case: place, name of the spec, place, name of the spec.
Pair = Sequence[Any]


class PredictSharing(Exercise):
    """predict_sharing(cases): say for each pair of labels which observers they lead to."""

    id = "m03_4.predict_sharing"
    kind = "practice"
    minutes = 15
    criteria = {"settings agree": 1, "settings differ": 2, "two tensors": 1}
    must_return = True
    parameters = ("cases",)
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Ask two questions, in this order: are the two places on the same tensor? And do the two labels get the same "
        "observer?",
        "The tensor of a place is the node itself, or the first node of the pair. The same observer: one label shares with "
        "the place of the other, or both are on one tensor and agree in the eight settings of the table.",
        "`getattr(spec, name, None)` reads a setting also where a kind of spec does not have it. Do not compare the observer "
        "classes, and do not compare the specs with `==`.",
    )
    misconceptions = {
        "last-wins": "No label replaces another one. If two labels on one tensor differ in their settings, both get an "
        "observer.",
        "too-few-settings": "All eight settings are compared: dtype, quant_min, quant_max, qscheme, ch_axis, is_dynamic, "
        "scale and zero_point. One difference is enough to stay apart.",
        "by-equality": "`==` compares everything in a spec, also how its observer is built. prepare_pt2e compares the "
        "settings only: specs that are not equal can merge all the same.",
        "observer-class": "The class of the observer is not compared. Labels that agree in their settings merge, and one of "
        "the two classes is lost.",
        "by-identity": "It does not take one and the same spec object. Two objects with the same settings merge on one "
        "tensor.",
        "mixed-up": "An output label and an edge label give two observers one behind the other (chained). Two edge labels "
        "give two observers side by side (parallel).",
        "equal-is-shared": "Labels merge by themselves on one tensor only. On two tensors equal specs make two observers; to "
        "share, one label has to say so.",
        "shared-not-seen": "A SharedQuantizationSpec has no settings to compare. It takes the observer of the place that it "
        "names, on whatever tensor.",
        "one-or-shared": "“one”: both places are on the same tensor. “shared”: one observer object for two tensors.",
        "tensor-of-an-edge": "An edge is on the tensor of its producer: the observer looks at the value that is read, not at "
        "what the consumer makes of it.",
    }
    public_cases = (
        Case(
            model="cat_pool",
            pairs=[
                [["x"], "int8", ["x", "conv2d"], "again"],
                [["x"], "int8", ["x", "conv2d"], "quant_min"],
                [["x", "conv2d"], "int8", ["x", "conv2d_1"], "quant_min"],
                [["x", "conv2d"], "int8", ["x", "conv2d_1"], "histogram"],
                [["x"], "eps", ["x", "conv2d_1"], "int8"],
                [["x"], "dtype", ["x", "conv2d"], "int8"],
                [["x", "conv2d"], "int8", ["conv2d"], "int8"],
                [["x", "conv2d"], "int8", ["conv2d"], "shared"],
            ],
        ),
        Case(
            model="residual",
            pairs=[
                [["relu", "add"], "eps", ["relu", "conv2d_1"], "int8"],
                [["relu"], "histogram", ["relu", "add"], "int8"],
                [["relu"], "dtype", ["relu", "add"], "int8"],
                [["relu", "conv2d_1"], "fixed", ["relu", "add"], "scale"],
                [["relu"], "int8", ["relu", "conv2d_1"], "shared"],
                [["relu", "add"], "quant_min", ["relu"], "int8"],
                [["conv2d_1"], "shared", ["relu", "conv2d_1"], "int8"],
                [["conv2d_1", "add"], "int8", ["relu", "add"], "again"],
            ],
        ),
    )
    facts = {
        "words": {"type": ["array", "null"], "maxItems": 100, "items": {"type": "string"}},
        "returned": {"type": "string"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        nodes = {n.name: n for n in exported(case.model, case.seed).graph.nodes}
        words = ev.call(answer, [tuple(_labels(nodes, pair)) for pair in case.pairs])
        with ev.student("the result was read"):
            found = list(words) if isinstance(words, (list, tuple)) else None
            returned = f"{str(words)[:200]} (type: {type(words).__name__})"
        good = found is not None and all(isinstance(word, str) for word in found)
        ev.fact("words", found if good else None)
        ev.fact("returned", returned)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, pairs = evidence.facts["words"], case.pairs
        if said is None or len(said) != len(pairs) or set(said) - set(WORDS):
            symptom = "The result is not a list with one of the five words for each case."
            detail = f"{len(pairs)} cases; your result: {evidence.facts['returned']}"
            if said is not None and len(said) == len(pairs):
                detail = f"no such word: {', '.join(sorted(set(said) - set(WORDS)))}"[:300]
            elif said is not None:
                detail = f"{len(pairs)} cases, and your list has {len(said)} words"
            yield Finding(None, False, "form", symptom, "", detail)
            return
        true = [_truth(case.model, case.seed, repr(pair)) for pair in pairs]
        rows = list(zip(pairs, true, said, strict=True))
        for criterion, words in (
            ("settings agree", ("one",)),
            ("settings differ", ("chained", "parallel")),
            ("two tensors", ("shared", "apart")),
        ):
            here = [row for row in rows if row[1] in words]
            wrong = [row for row in here if row[1] != row[2]]
            if here and not wrong:
                yield self.passed(criterion)
            elif wrong:
                yield self._wrong(criterion, here, wrong)

    def _wrong(self, criterion: str, here: list[Any], wrong: list[Any]) -> Finding:
        said = {row[2] for row in wrong}
        specs = [{row[0][1], row[0][3]} for row in wrong]
        shared = [row for row in wrong if "shared" in row[0]]
        if any(_consumer_taken(*row) for row in wrong) or (criterion != "two tensors" and "apart" in said):
            kind, symptom = "tensor-of-an-edge", "Places on one tensor are taken for two, or the other way round."
        elif criterion == "settings differ":
            kind, symptom = None, "Two labels that stay apart are told in another way."
            if said == {"one"}:
                kind = "last-wins" if any("dtype" in names for names in specs) else "too-few-settings"
                symptom = "Two labels with different settings are said to give one observer."
            elif said <= {"chained", "parallel"}:
                kind, symptom = "mixed-up", "Two observers are said to stand in another way than they do."
        elif said <= {"one", "shared"} and not any(row[1] == "apart" for row in wrong):
            kind, symptom = "one-or-shared", "Whether one tensor or two are meant is told in another way."
        elif shared and len(shared) == len(wrong):
            kind, symptom = "shared-not-seen", "A label that shares is not seen to share."
        elif criterion == "two tensors":
            kind, symptom = None, "Two labels on two tensors are told in another way."
            if all(row[1] == "apart" for row in wrong) and said <= {"one", "shared"}:
                kind, symptom = "equal-is-shared", "Labels on two tensors are said to share, and no label says so."
        else:
            kind, symptom = None, "Two labels that agree in all settings are said to stay apart."
            if {"int8", "again"} in specs:
                kind = "by-identity"
            elif any("eps" in names for names in specs):
                kind = "by-equality"
            elif any("histogram" in names for names in specs):
                kind = "observer-class"
        pair, true, word = wrong[0]
        places = " and ".join(f"{' → '.join(place)} ({spec})" for place, spec in (pair[:2], pair[2:]))
        return self.failed(criterion, kind, symptom, detail=f"{places}: you say “{word}”, it is “{true}”")


def _consumer_taken(pair: Pair, true: str, said: str) -> bool:
    """Whether two places on two tensors, at one node, are said to be on one tensor."""
    return true in ("apart", "shared") and said in ("one", "chained") and pair[0][-1] == pair[2][-1]


def _spec(name: str) -> Any:
    import torch

    from common.pt2e import FixedQParamsQuantizationSpec, HistogramObserver, MinMaxObserver, QuantizationSpec

    if name in ("fixed", "scale", "zero_point"):
        changed: dict[str, Any] = {"fixed": {}, "scale": {"scale": 0.25}, "zero_point": {"zero_point": 3}}[name]
        settings: dict[str, Any] = {"scale": 0.125, "zero_point": 0} | changed
        return FixedQParamsQuantizationSpec(
            torch.int8, quant_min=-128, quant_max=127, qscheme=torch.per_tensor_affine, **settings
        )
    base = make_spec("int8")
    fields = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis", "is_dynamic", "observer_or_fake_quant_ctr")
    changes: dict[str, dict[str, Any]] = {
        "int8": {},
        "again": {},
        "histogram": {"observer_or_fake_quant_ctr": HistogramObserver},
        "eps": {"observer_or_fake_quant_ctr": MinMaxObserver.with_args(eps=2**-6)},
        "quant_min": {"quant_min": -127},
        "quant_max": {"quant_max": 126},
        "dtype": {"dtype": torch.int16},
        "qscheme": {"qscheme": torch.per_tensor_symmetric},
        "ch_axis": {"ch_axis": 1},
        "is_dynamic": {"is_dynamic": True},
    }
    settings = {field: getattr(base, field) for field in fields} | changes[name]
    return QuantizationSpec(**settings)


def _labels(nodes: "dict[str, fx.Node]", pair: Pair) -> list[tuple[Any, Any]]:
    """The two labels of a pair, as (place, spec); equal names in one pair give one spec object."""
    from common.pt2e import SharedQuantizationSpec

    def place(names: Sequence[str]) -> Any:
        found = tuple(nodes[name] for name in names)
        return found if len(found) == 2 else found[0]

    places, names = [place(pair[0]), place(pair[2])], [pair[1], pair[3]]
    specs = {name: _spec(name) for name in names if name != "shared"}
    return [
        (here, SharedQuantizationSpec(there) if name == "shared" else specs[name])
        for here, there, name in zip(places, reversed(places), names, strict=True)
    ]


@lru_cache(maxsize=256)
def _truth(model: str, seed: int, pair_text: str) -> str:
    """Prepare the net with the two labels, and look which observer objects stand where."""
    import ast

    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, prepare_pt2e

    pair = ast.literal_eval(pair_text)

    class Two(Quantizer):
        def annotate(self, model: Any) -> Any:
            for place, spec in _labels({n.name: n for n in model.graph.nodes}, pair):
                node = place[1] if isinstance(place, tuple) else place
                note = node.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
                if isinstance(place, tuple):
                    note.input_qspec_map[place[0]] = spec
                else:
                    note.output_qspec = spec
            return model

        def validate(self, model: Any) -> None:
            return None

    reads = pl.reads(pl.facts_of(prepare_pt2e(exported(model, seed), Two())))

    def chain(names: Sequence[str]) -> tuple[str, ...]:
        if len(names) == 2:
            return reads[names[0], names[1]]
        return next(found for edge, found in reads.items() if edge[0] == names[0] and found)[:1]

    first, second = chain(pair[0]), chain(pair[2])
    one_tensor = pair[0][0] == pair[2][0]
    if first[-1] == second[-1]:
        return "one" if one_tensor else "shared"
    if not one_tensor:
        return "apart"
    return "chained" if len(first) + len(second) > 2 else "parallel"
