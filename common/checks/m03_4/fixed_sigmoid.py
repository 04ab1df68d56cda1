"""Labels for an operation whose range is known beforehand."""

from collections.abc import Iterator, Sequence
from typing import Any

from common.checks._nets import batches
from common.checks.m03_1._labels import make_spec
from common.checks.m03_3._rules import graph_of
from common.checks.m03_4 import _places as pl
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

SCALE, ZERO_POINT = 1 / 256, 0


class FixedSigmoid(Exercise):
    """fixed_sigmoid(gm, spec): label every sigmoid: its input with `spec`, its output with fixed qparams."""

    id = "m03_4.fixed_sigmoid"
    kind = "practice"
    minutes = 10
    criteria = {"output": 1, "rest": 1}
    parameters = ("gm", "spec")
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "The unsigned 8-bit integers are 0 to 255. Which value does the integer 255 stand for, if the scale is 1/256 and the "
        "zero point 0?",
        "`FixedQParamsQuantizationSpec(dtype=…, scale=…, zero_point=…, quant_min=…, quant_max=…, qscheme=…)` has no observer "
        "class: nothing is observed.",
        "One annotation for each node whose target is `torch.ops.aten.sigmoid.default`: `input_qspec_map` for its input, "
        "`output_qspec` for its output.",
    )
    misconceptions = {
        "observes-instead": "An observer takes the range from the data that it happens to see. The range of a sigmoid is "
        "known: 0 to 1, whatever comes in.",
        "int8-range": "With signed integers and zero point 0 the largest value is 127/256: everything above, half of what a "
        "sigmoid gives, is cut off.",
        "other-range": "Unsigned integers of 8 bits go from 0 to 255, and the integer kernel uses all of them. The spec has no "
        "observer class that knows this: it has to say both ends.",
        "as-for-tanh": "These are the settings for tanh, whose values go from −1 to 1. A sigmoid has no negative values, and "
        "this hardware gives unsigned integers, in half that step.",
        "other-type": "The hardware gives unsigned integers with zero point 0. Signed ones with another zero point stand for "
        "the same values, but they are other integers.",
        "by-255": "With 1/255 the integer 255 would be exactly 1. This hardware takes the upper 8 bits of a fixed-point "
        "number: its step is 1/256.",
        "no-label": "A sigmoid whose output has no label stays in float.",
        "input-left-out": "The sigmoid reads integers too. Their range is not known beforehand, so the input has a label that "
        "observes.",
        "fixed-input": "Only the output has a known range. What goes *into* a sigmoid can be any number.",
        "input-elsewhere": "A label on the output of another node reaches all that read it, also those that are no sigmoid. "
        "The input of one operation is an edge: its label stands on the sigmoid, in `input_qspec_map`.",
        "other-ops": "Which operation a node computes is its target, a whole overload. A name or a piece of text fits other "
        "operations too.",
        "first-only": "A net can have several sigmoids.",
        "base-lost": "The labels that were there before, and the nodes that are no sigmoid, stay as they are.",
    }
    public_cases = (
        Case(model="upscale", base="layers", spec="int8"),
        Case(model="two_sigmoids", base="nothing", spec="narrow", seed=1),
    )
    facts = {
        "after": GRAPH,
        "kinds": pl.KINDS,
        "settings": {
            "type": "object",
            "maxProperties": 500,
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "qparams": {
            "type": "object",
            "maxProperties": 500,
            "additionalProperties": {"type": "array", "items": NUMBER, "maxItems": 8},
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import Quantizer, prepare_pt2e

        spec = make_spec(case.spec)

        class Around(Quantizer):
            def annotate(self, model: Any) -> Any:
                pl.base_quantizer(case.base, spec).annotate(model)
                try:
                    ev.call(answer, model, spec)
                finally:
                    ev.fact("kinds", pl.kinds_of_label(model))
                return model

            def validate(self, model: Any) -> None:
                return None

        with ev.student("prepare_pt2e read the labels"):
            after = prepare_pt2e(graph_of(case), Around())
        ev.fact("settings", pl.settings_of(after))
        ev.graph("after", after)
        with ev.student("the prepared graph was calibrated"):
            before = _qparams(after)
            for batch in batches(case.seed, 2):
                after(*batch)
            now = _qparams(after)
        ev.fact("qparams", {name: [*before.get(name, ()), *now[name]] for name in now})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after, reference = evidence.graph("after"), _reference(case)
        if not pl.same_ops(reference, after):
            symptom = "The prepared graph has other operations or edges than the net."
            yield from (self.failed(c, "base-lost", symptom, graph="after") for c in self.criteria)
            return
        wanted, got = pl.reads(reference), pl.reads(after)
        sigmoids = [n.name for n in reference.nodes if n.target == "aten.sigmoid.default"]
        outputs = [edge for edge in wanted if edge[0] in sigmoids]
        yield self._output(evidence, got, outputs, sigmoids)
        yield self._rest(evidence, got, wanted, sigmoids, make_spec(case.spec))

    def _output(self, evidence: Evidence, got: pl.Reads, outputs: Sequence[Any], sigmoids: Sequence[str]) -> Finding:
        bare = [edge for edge in outputs if not got[edge]]
        if bare and _other_ops(evidence, sigmoids):
            symptom = "The output of a sigmoid is not observed, and another operation has its label."
            return self.failed("output", "other-ops", symptom, graph="after", mark=tuple(bare))
        if bare:
            some = len({edge[0] for edge in bare}) < len(sigmoids)
            kind, symptom = ("first-only" if some else "no-label"), "The output of a sigmoid is not observed."
            return self.failed("output", kind, symptom, graph="after", mark=tuple(bare))
        settings, qparams = evidence.facts["settings"], evidence.facts["qparams"]
        for name in (name for edge in outputs for name in got[edge]):
            numbers, has = qparams.get(name, []), settings.get(name, {})
            ok = numbers == [SCALE, ZERO_POINT, SCALE, ZERO_POINT]
            whole = (has.get("dtype"), has.get("quant_min"), has.get("quant_max")) == ("torch.uint8", "0", "255")
            if ok and whole:
                continue
            kind, symptom = None, "The output of a sigmoid has another scale or zero point."
            if "FixedQParams" not in str(has.get("class")):
                kind, symptom = "observes-instead", "The scale of a sigmoid's output comes from an observer."
            elif ok and has.get("dtype") == "torch.uint8" and has.get("quant_max") != "127":
                kind, symptom = "other-range", "The integers behind a sigmoid have another range."
            elif not whole and numbers[-2:] == [1 / 128, 0]:
                kind = "as-for-tanh"
            elif ok and not whole:
                kind, symptom = "int8-range", "The integers behind a sigmoid have another type or range."
            elif not whole and numbers[:1] == [SCALE]:
                kind, symptom = "other-type", "The integers behind a sigmoid have another type and zero point."
            elif numbers and abs(numbers[0] - 1 / 255) < 1e-6:
                kind = "by-255"
            detail = (
                f"{has.get('dtype')} {has.get('quant_min')}…{has.get('quant_max')}, scale and zero point {numbers[-2:]}"
            )
            return self.failed("output", kind, symptom, detail=detail, graph="after", mark=tuple(sigmoids))
        return self.passed("output")

    def _rest(self, evidence: Evidence, got: pl.Reads, wanted: pl.Reads, sigmoids: Sequence[str], spec: Any) -> Finding:
        criterion, settings = "rest", evidence.facts["settings"]
        inputs = [edge for edge in wanted if edge[1] in sigmoids]
        bare = [edge for edge in inputs if not got[edge]]
        elsewhere = _other_ops(evidence, sigmoids)
        if elsewhere:
            symptom = "An operation that is no sigmoid has the labels of one."
            return self.failed(criterion, "other-ops", symptom, detail=", ".join(elsewhere))
        if bare:
            symptom = "The input of a sigmoid is not observed."
            return self.failed(criterion, "input-left-out", symptom, graph="after", mark=tuple(bare))
        used = [name for edge in inputs for name in got[edge]]
        if any("FixedQParams" in str(settings.get(name, {}).get("class")) for name in used):
            return self.failed(criterion, "fixed-input", "The input of a sigmoid has fixed qparams.")
        others = [e for e in wanted if e[0] not in sigmoids and bool(got[e]) != bool(wanted[e])]
        read = {edge[0] for edge in inputs}
        if others and all(got[e] and e[0] in read for e in others):
            symptom = "What a sigmoid reads is now observed for another operation too."
            detail = ", ".join(f"{a} → {b}" for a, b in others)
            return self.failed(criterion, "input-elsewhere", symptom, detail=detail)
        if others:
            symptom = "A value that no sigmoid reads or gives is observed in another way than before."
            detail = ", ".join(f"{a} → {b}" for a, b in others)
            return self.failed(criterion, "base-lost", symptom, detail=detail)
        if any(len(got[edge]) != 1 or settings.get(got[edge][0]) != pl.expected_settings(spec) for edge in inputs):
            return self.failed(criterion, None, "The observer of a sigmoid's input is not the one that `spec` gives.")
        return self.passed(criterion)


def _other_ops(evidence: Evidence, sigmoids: Sequence[str]) -> list[str]:
    """The nodes that are no sigmoid, and whose output has a fixed label all the same."""
    kinds = evidence.facts["kinds"]
    return [n for n in kinds if n not in sigmoids and kinds[n]["output"] == "FixedQParamsQuantizationSpec"]


def _qparams(gm: Any) -> dict[str, list[float]]:
    """Scale and zero point of every observer that has one of each."""
    from common.graph_utils import observer_nodes

    found: dict[str, list[float]] = {}
    for node, observer in observer_nodes(gm):
        scale, zero_point = observer.calculate_qparams()
        if scale.numel() == zero_point.numel() == 1:
            found[str(node.target)] = [float(scale), float(zero_point)]
    return found


def _reference(case: Case) -> GraphFacts:
    """The net prepared with the right labels."""
    import torch

    from common.pt2e import (
        ANNOTATION_KEY,
        FixedQParamsQuantizationSpec,
        QuantizationAnnotation,
        Quantizer,
        prepare_pt2e,
    )

    spec = make_spec(case.spec)
    fixed = FixedQParamsQuantizationSpec(torch.uint8, SCALE, ZERO_POINT, 0, 255, torch.per_tensor_affine)

    class Right(Quantizer):
        def annotate(self, model: Any) -> Any:
            pl.base_quantizer(case.base, spec).annotate(model)
            for node in model.graph.nodes:
                if node.target is torch.ops.aten.sigmoid.default:
                    inputs: dict[Any, Any] = {node.args[0]: spec}
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(inputs, fixed)
            return model

        def validate(self, model: Any) -> None:
            return None

    return pl.facts_of(prepare_pt2e(graph_of(case), Right()))
