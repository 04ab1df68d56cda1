"""A bias whose scale follows from the scales of the data and of the weight."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.checks.m03_1._labels import make_spec
from common.checks.m03_4 import _places as pl
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx


@dataclass(frozen=True)
class _Known:
    """What is right for one layer: the scales of its data and of its weight, and its bias."""

    data: "torch.Tensor"
    weight: "torch.Tensor"
    bias: "torch.Tensor"


class DerivedBias(Exercise):
    """derived_bias(node): make the spec of a layer's bias, derived from the places of its data and its weight."""

    id = "m03_4.derived_bias"
    kind = "practice"
    minutes = 15
    criteria = {"scale": 2, "zero point": 1, "int32": 1}
    must_return = True
    parameters = ("node",)
    not_allowed = ("prepare_pt2e", "convert_pt2e")
    hints = (
        "Which two places does the scale follow from? Both are edges into `node`. The function that derives is given their "
        "observers, in the order in which you name them.",
        "Each observer has `calculate_qparams()`, which returns scale and zero point. The function returns a scale and a zero "
        "point too, as tensors of the same shape. It is called after calibration, not when the label is written.",
        "Per channel or not: look at the weight's spec in the annotation of `node`. The bias has one dimension only, so its "
        "channels are dimension 0, also where those of the weight are not.",
    )
    misconceptions = {
        "int8": "A bias is added to a sum of products, whose integers are large and have a tiny step. In 8 bits it would be "
        "cut off, or the step would be far too coarse. Accumulators are int32.",
        "no-range": "quantize needs the range as two numbers. A DerivedQuantizationSpec has no observer class that fills it "
        "in: give the whole range of int32.",
        "part-of-range": "An accumulator uses all integers of int32. How large those of a bias become depends on the scales: "
        "with a smaller range another net is cut off.",
        "added": "The sum of two scales is right for the sum of two tensors. In a layer the integers of data and weight are "
        "multiplied, so one step is the product of the two steps.",
        "no-tensors": "In the graph scale and zero point stand side by side, both as tensors: one zero point for each scale. "
        "`torch.zeros_like(scale, dtype=torch.int32)` fits any tensor of scales.",
        "activation-only": "The integers that are added up are products: integer of the data times integer of the weight. "
        "One step of such a product is the product of both scales.",
        "weight-only": "The integers that are added up are products: integer of the data times integer of the weight. One "
        "step of such a product is the product of both scales.",
        "per-tensor": "A weight per channel has a scale for each output channel. The accumulator of each channel has its own "
        "step, so the bias has a scale per channel as well.",
        "always-per-channel": "Whether the bias has one scale or one for each channel follows from the weight's spec.",
        "axis-of-the-weight": "`ch_axis` counts the dimensions of the tensor that is quantized. A bias has one dimension, so "
        "its channels are dimension 0 wherever the weight has them.",
        "zero-point": "The zero point is part of what integers mean. For the sum of products it has to be 0: the bias is "
        "added as it is.",
        "observed": "An observer on the bias finds a scale that fits the bias alone. Then the integers could not be added to "
        "the sum without being rescaled.",
        "other-class": "The scale is known after calibration only, and it is a product of two others. Of the four kinds of spec "
        "only a DerivedQuantizationSpec has a function that is called then.",
        "refers-to-nothing": "Derived from places that have no observer. The layer's labels are on its *edges*: a place is the "
        "pair (producer, node).",
        "too-early": "When labels are written nothing has been calibrated. The function is called later; the scales have to "
        "be computed inside it.",
    }
    public_cases = (
        Case(model="conv_relu", node="conv2d", per_channel=True),
        Case(model="linear_relu", node="linear_1", per_channel=False, seed=1),
    )
    facts = {
        "form": {"type": "string"},
        "label": {"type": "object", "additionalProperties": {"type": "string"}},
        "scale": TENSOR,
        "zero_point": TENSOR,
        "integers": TENSOR,
        "converted": {"type": "string"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import ANNOTATION_KEY, Quantizer, convert_pt2e, prepare_pt2e

        class Around(Quantizer):
            def annotate(self, model: Any) -> Any:
                pl.label_layers(model, make_spec("int8"), case.per_channel)
                node = _named(model, case.node)
                returned = ev.call(answer, node)
                ev.fact("label", _label(returned))
                node.meta[ANNOTATION_KEY].input_qspec_map[node.all_input_nodes[2]] = returned
                return model

            def validate(self, model: Any) -> None:
                return None

        with ev.student("prepare_pt2e read the label"):
            prepared = prepare_pt2e(exported(case.model, case.seed), Around())
        with ev.student("the prepared graph was calibrated"):
            for batch in batches(case.seed, 2):
                prepared(*batch)
        with ev.student("scale and zero point of the bias were computed"):
            observer = _observer(prepared, _named(prepared, case.node).all_input_nodes[2])
            qparams = observer.calculate_qparams()
        if not isinstance(qparams, (tuple, list)) or len(qparams) != 2:
            ev.fact("form", f"the function returns no pair, but something of type {type(qparams).__name__}")
            ev.tensor("scale", None)
            return
        scale, zero_point = qparams
        ev.fact("form", _form(zero_point, scale))
        ev.tensor("scale", scale)
        ev.tensor("zero_point", _as_tensor(zero_point))
        with ev.student("convert_pt2e was called"):
            converted = convert_pt2e(prepared)
            converted(*next(iter(batches(case.seed, 1))))
        node = _named(converted, case.node).all_input_nodes[2]
        ev.fact("converted", str(node.target))
        if node.op == "call_function":
            ev.tensor("integers", getattr(converted, str(node.all_input_nodes[0].target)))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        label, raised = evidence.facts.get("label"), evidence.exception or {}
        if not label or not pl.raised_by_library(raised):
            return
        per_channel, found, detail = "per_channel" in label.get("qscheme", ""), None, ""
        if label.get("type") != "DerivedQuantizationSpec":
            kind = "observed" if label.get("type") == "QuantizationSpec" else "other-class"
            found = kind, "What is returned is not a DerivedQuantizationSpec, and it does not work here."
        elif raised["type"] == "KeyError":
            found = "refers-to-nothing", "The spec is derived from a place that has no observer."
        elif per_channel and label.get("ch_axis") not in ("0", "None"):
            found = (
                "axis-of-the-weight",
                "The channels of the bias are looked for in a dimension that it does not have.",
            )
        elif "None" in (label.get("quant_min"), label.get("quant_max")):
            found = "no-range", "The spec does not say which range the integers have."
        elif case.per_channel and not per_channel:
            found = "per-tensor", "The weight has a scale for each channel, and the bias is to have only one."
        elif per_channel and not case.per_channel:
            found = "always-per-channel", "The weight has one scale, and the bias is to have one for each channel."
        elif evidence.facts.get("form"):
            found = "no-tensors", "Scale and zero point are not two tensors of one shape."
            detail = evidence.facts["form"]
        if found:
            yield from (self.failed(criterion, *found, detail=detail) for criterion in self.criteria)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if {"scale_type", "zero_point_type"} & set(evidence.facts):
            symptom, detail = "Scale and zero point are not two tensors of one shape.", evidence.facts["form"]
            yield from (self.failed(criterion, "no-tensors", symptom, detail=detail) for criterion in self.criteria)
            return
        if "quantize" not in evidence.facts["converted"] or not all(map(evidence.has, ("scale", "zero_point"))):
            symptom = "The bias is not quantized in the converted graph."
            yield from (self.failed(criterion, None, symptom) for criterion in self.criteria)
            return
        known, label = _known(case.model, case.seed, case.node, case.per_channel), evidence.facts["label"]
        yield self._scale(case, known, evidence.tensor("scale").double().flatten(), label)
        zero_point, integers = evidence.tensor("zero_point"), evidence.tensor("integers")
        if evidence.facts["form"]:
            symptom = "Scale and zero point are not two tensors of one shape."
            yield self.failed("zero point", "no-tensors", symptom, detail=evidence.facts["form"])
        elif zero_point.numel() and not zero_point.any():
            yield self.passed("zero point")
        else:
            yield self.failed("zero point", "zero-point", "The zero point of the bias is not 0.")
        if integers.dtype != torch.int32 or label.get("dtype") != "torch.int32":
            yield self.failed("int32", "int8", "The integers of the bias are not of type int32.")
        elif not zero_point.any() and not _stored(known.bias, evidence.tensor("scale"), integers):
            kind = "int8" if label.get("quant_max") in ("127", "255") else "part-of-range"
            yield self.failed("int32", kind, "The integers of the bias are cut off: the range is too small.")
        elif not _whole_range(label):
            detail = f"{label.get('quant_min')} to {label.get('quant_max')}"
            symptom = "The range of the integers is not the whole one of int32."
            yield self.failed("int32", "part-of-range", symptom, detail=detail)
        else:
            yield self.passed("int32")

    def _scale(self, case: Case, known: _Known, got: "torch.Tensor", label: dict[str, str]) -> Finding:
        import torch

        wanted = known.data * known.weight
        per_channel = "per_channel" in label.get("qscheme", "")

        def close(other: "torch.Tensor") -> bool:
            return got.shape == other.shape and torch.allclose(got, other, rtol=1e-4, atol=0)

        if close(wanted) and per_channel == bool(case.per_channel):
            return self.passed("scale")
        kind, symptom = None, "The scale of the bias is another one."
        if label.get("type") != "DerivedQuantizationSpec":
            kind, symptom = "other-class", "The scale of the bias is not derived: the spec is of another class."
            if label.get("type") == "QuantizationSpec":
                kind, symptom = "observed", "The scale of the bias comes from an observer of its own."
        elif close(wanted):
            symptom = "The scheme is per channel, and the weight of this layer has one scale only."
            return self.failed("scale", "always-per-channel", symptom)
        elif close(known.data + known.weight):
            kind, symptom = "added", "The scale of the bias is the sum of the two others."
        elif (got == 1).all():  # what an observer says that has seen nothing
            kind, symptom = "too-early", "The scale was computed from observers that have seen nothing."
        elif close(known.data.expand_as(wanted)) or close(known.data):
            kind, symptom = "activation-only", "The scale of the bias is that of the data."
        elif close(known.weight):
            kind, symptom = "weight-only", "The scale of the bias is that of the weight."
        elif case.per_channel and got.unique().numel() == 1:
            kind, symptom = "per-tensor", "The bias has one scale, and the weight has one for each channel."
        detail = f"yours begins {got[:3].tolist()}, right is {wanted[:3].tolist()}"
        return self.failed("scale", kind, symptom, detail=detail)


def _stored(bias: "torch.Tensor", scale: "torch.Tensor", integers: "torch.Tensor") -> bool:
    """Whether the integers are those of the bias in steps of `scale`, up to one step."""
    steps = scale.double().flatten()
    if integers.shape != bias.shape or steps.numel() not in (1, bias.numel()):
        return False
    return bool((integers.double() - bias.double() / steps).abs().max() <= 1)


def _form(zero_point: Any, scale: Any) -> str:
    """What is wrong with the form of scale and zero point: "" if both are tensors with as many numbers."""
    import torch

    for name, value in (("scale", scale), ("zero point", zero_point)):
        if not isinstance(value, torch.Tensor):
            return f"the {name} is no tensor, its type is {type(value).__name__}"
    numbers = [value.numel() for value in (scale, zero_point)]
    return "" if numbers[0] == numbers[1] else f"numbers in the scale: {numbers[0]}, in the zero point: {numbers[1]}"


def _as_tensor(zero_point: Any) -> Any:
    import torch

    return torch.tensor(zero_point) if isinstance(zero_point, (int, float)) else zero_point


def _whole_range(label: dict[str, str]) -> bool:
    """Whether the range is that of int32; as far down as up is good too, as for a symmetric weight."""
    import torch

    whole = torch.iinfo(torch.int32)
    ends = [(str(low), str(whole.max)) for low in (whole.min, -whole.max)]
    return (label.get("quant_min"), label.get("quant_max")) in ends


def _named(gm: Any, name: str) -> Any:
    return next(n for n in gm.graph.nodes if n.name == name)


def _label(spec: Any) -> dict[str, str]:
    fields = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis")
    return {"type": type(spec).__name__} | {field: str(getattr(spec, field, None))[:100] for field in fields}


def _observer(gm: Any, node: "fx.Node") -> Any:
    """The observer that a node calls; none is an error of the label."""
    if node.op != "call_module":
        raise ValueError("there is no observer on the bias")
    return gm.get_submodule(str(node.target))


@lru_cache(maxsize=16)
def _known(model: str, seed: int, name: str, per_channel: bool) -> _Known:
    """Prepare the net with the labels of its layers only, calibrate, and look at the scales around one layer."""
    from common.pt2e import Quantizer, prepare_pt2e

    class Layers(Quantizer):
        def annotate(self, model: Any) -> Any:
            pl.label_layers(model, make_spec("int8"), per_channel)
            return model

        def validate(self, model: Any) -> None:
            return None

    prepared = prepare_pt2e(exported(model, seed), Layers())
    for batch in batches(seed, 2):
        prepared(*batch)
    data, weight, bias = _named(prepared, name).all_input_nodes
    data_scale, weight_scale = (
        _observer(prepared, n).calculate_qparams()[0].double().flatten() for n in (data, weight)
    )
    return _Known(data_scale, weight_scale, prepared.get_parameter(str(bias.target)).detach())
