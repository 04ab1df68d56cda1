"""From a QuantizationSpec to the observer that it asks for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

    from common.pt2e import QuantizationSpec

# Per-channel data whose channels differ a lot along every axis, so that a wrong axis shows.
_SHAPE = (4, 3, 5)


class ObserverFromSpec(Exercise):
    """observer_from_spec(spec): build the observer or fake quant that a QuantizationSpec describes."""

    id = "m02_2.observer_from_spec"
    kind = "practice"
    minutes = 10
    criteria = {"class": 1, "range and dtype": 1, "scheme and axis": 1, "a new one each time": 1}
    parameters = ("spec",)
    not_allowed = ("_create_obs_or_fq_from_qspec", "_get_observer_kwargs", "prepare_pt2e")
    hints = (
        "Everything that you need is an attribute of the spec. Print one and look.",
        "`spec.observer_or_fake_quant_ctr` is what builds the observer: it can be called with keyword arguments such "
        "as `dtype=...` and `quant_min=...`.",
        "Not every observer takes `ch_axis`: pass it on only when the spec has one (it is None otherwise).",
    )
    misconceptions = {
        "wrong-class": "The spec says which class collects the statistics. A quantizer may ask for a histogram at one "
        "place and for minimum and maximum at another.",
        "hard-coded-dtype": "int8 is only the commonest choice. The integer type is part of the spec.",
        "hard-coded-range": "The same integer type is used with different ranges: weights often stop at -127, so that "
        "the range is symmetric. The limits are part of the spec.",
        "loses-axis": "`ch_axis` says along which dimension each channel gets a scale of its own. Without it the observer "
        "takes its default, which is right for some weights only by luck.",
        "wrong-scheme": "The scheme decides whether the zero point is free (affine) or fixed (symmetric), and whether "
        "there is one scale or one for each channel.",
        "loses-constructor-arguments": "The constructor in the spec can carry arguments of its own, such as a smallest "
        "scale `eps`. Taking only the class out of it loses them.",
        "one-instance": "An observer remembers what it has seen. Two places in a graph that are not meant to share a "
        "scale need two objects.",
    }
    public_cases = (
        Case(observer="MinMaxObserver", dtype="int8", quant_min=-128, quant_max=127, qscheme="per_tensor_affine"),
        Case(observer="HistogramObserver", dtype="uint8", quant_min=0, quant_max=255, qscheme="per_tensor_affine"),
        Case(
            observer="PerChannelMinMaxObserver",
            dtype="int8",
            quant_min=-127,
            quant_max=127,
            qscheme="per_channel_symmetric",
            ch_axis=0,
            eps=2**-12,
        ),
    )
    facts = {
        "class": {"type": "string"},
        "attributes": {"type": "object"},
        "same_object": {"type": "boolean"},
        "scale": TENSOR,
        "zero_point": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        spec = _spec(case)
        first, second = ev.call(answer, spec), ev.call(answer, spec)
        ev.fact("class", type(first).__name__)
        ev.fact("same_object", first is second)
        ev.fact("attributes", _attributes(first))
        with ev.student("the observer was shown some data"):
            first(_data(case))
            scale, zero_point = first.calculate_qparams()
            ev.tensor("scale", scale)
            ev.tensor("zero_point", zero_point)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("class"):  # it was built, and then could not observe
            yield from (f for f in self._attributes(case, evidence) if not f.passed)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        yield from self._attributes(case, evidence)
        expected = _reference(case)
        expected(_data(case))
        scale, zero_point = expected.calculate_qparams()
        same = evidence.has("scale") and evidence.has("zero_point")
        same = same and torch.equal(evidence.tensor("scale"), scale)
        if not (same and torch.equal(evidence.tensor("zero_point"), zero_point)):
            symptom = "After it has seen the same data, its scale or zero point is not the one that the spec gives."
            lost_eps = evidence.facts["attributes"].get("eps") != _attributes(expected)["eps"]
            yield self.failed("scheme and axis", "loses-constructor-arguments" if lost_eps else None, symptom)

    def _attributes(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        expected = _reference(case)
        wanted, got = _attributes(expected), evidence.facts.get("attributes", {})
        if evidence.facts["class"] != type(expected).__name__:
            text = f"asked for: {type(expected).__name__}; yours: {evidence.facts['class']}"
            yield self.failed(
                "class", "wrong-class", "It is not an observer of the class that the spec names.", detail=text
            )
        else:
            yield self.passed("class")
        yield self._compare(
            "range and dtype",
            got,
            wanted,
            {"dtype": "hard-coded-dtype", "quant_min": "hard-coded-range", "quant_max": "hard-coded-range"},
        )
        yield self._compare(
            "scheme and axis",
            got,
            wanted,
            {"qscheme": "wrong-scheme", "ch_axis": "loses-axis", "eps": "loses-constructor-arguments"},
        )
        if evidence.facts["same_object"]:
            symptom = "Two calls return one and the same object."
            yield self.failed("a new one each time", "one-instance", symptom)
        else:
            yield self.passed("a new one each time")

    def _compare(self, criterion: str, got: dict[str, Any], wanted: dict[str, Any], kinds: dict[str, str]) -> Finding:
        for key, misconception in kinds.items():
            if got.get(key) != wanted[key]:
                detail = f"{key} asked for: {wanted[key]}; yours: {got.get(key)}"
                return self.failed(
                    criterion, misconception, f"The observer's `{key}` is not the one in the spec.", detail=detail
                )
        return self.passed(criterion)


def _attributes(observer: Any) -> dict[str, Any]:
    """What an observer is set to; a fake quant keeps it in the observer inside."""
    inside = getattr(observer, "activation_post_process", observer)
    names = ("dtype", "quant_min", "quant_max", "qscheme", "ch_axis", "eps")
    found = {name: getattr(inside, name, None) for name in names}
    eps = found["eps"]
    found["eps"] = float(eps) if eps is not None else None
    return {k: v if v is None or isinstance(v, (int, float)) else str(v) for k, v in found.items()}


def _spec(case: Case) -> "QuantizationSpec":
    import torch

    import common.pt2e as pt2e

    constructor = getattr(pt2e, case.observer)
    arguments = {}
    if "eps" in case:
        arguments["eps"] = case.eps
    if "inside" in case:
        arguments["observer"] = getattr(pt2e, case["inside"])
    return pt2e.QuantizationSpec(
        dtype=getattr(torch, case.dtype),
        quant_min=case.quant_min,
        quant_max=case.quant_max,
        qscheme=getattr(torch, case.qscheme),
        ch_axis=case.get("ch_axis"),
        observer_or_fake_quant_ctr=constructor.with_args(**arguments),
    )


def _reference(case: Case) -> Any:
    spec = _spec(case)
    axis = {} if spec.ch_axis is None else {"ch_axis": spec.ch_axis}
    return spec.observer_or_fake_quant_ctr.with_args(
        dtype=spec.dtype, quant_min=spec.quant_min, quant_max=spec.quant_max, qscheme=spec.qscheme, **axis
    )()


def _data(case: Case) -> "torch.Tensor":
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    x = torch.randn(_SHAPE, generator=generator)
    for axis, size in enumerate(_SHAPE):
        shape = [1] * len(_SHAPE)
        shape[axis] = size
        x = x * torch.arange(1, size + 1).reshape(shape)
    return x * (1e-4 if case.get("tiny") else 1.0)
