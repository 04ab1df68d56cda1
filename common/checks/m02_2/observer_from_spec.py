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
    must_return = True
    parameters = ("spec",)
    not_allowed = ("_create_obs_or_fq_from_qspec", "_get_observer_kwargs", "prepare_pt2e")
    hints = (
        "Everything that you need is an attribute of the spec. Print one and look.",
        "`spec.observer_or_fake_quant_ctr` is what builds the observer: it can be called with keyword arguments such "
        "as `dtype=...` and `quant_min=...`.",
        "Not every observer takes `ch_axis`: pass it on only when the spec has one (it is None otherwise).",
    )
    misconceptions = {
        "not-called": "`with_args(...)` gives a new constructor, and a constructor is not yet an observer: it has to be "
        "called once more.",
        "axis-for-all": "`ch_axis` is an argument of the per-channel observers only. A spec that is not per channel has "
        "None there, and its observer must not be given the argument at all.",
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
        "inside": {"type": "string"},
        "attributes": {"type": "object"},
        "same_object": {"type": "boolean"},
        "scale": TENSOR,
        "zero_point": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        spec = _spec(case)
        first, second = ev.call(answer, spec), ev.call(answer, spec)
        ev.fact("class", type(first).__name__)
        ev.fact("inside", type(getattr(first, "activation_post_process", None)).__name__)
        ev.fact("same_object", first is second)
        ev.fact("attributes", _attributes(first))
        with ev.student("the observer was shown some data"):
            first(_data(case))
            scale, zero_point = first.calculate_qparams()
            ev.tensor("scale", scale)
            ev.tensor("zero_point", zero_point)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if evidence.has("attributes"):  # it was built, and then could not observe
            yield from (f for f in self._settings(case, evidence) if not f.passed)
        elif "unexpected keyword argument 'ch_axis'" in message:
            symptom = "An observer was given `ch_axis`, and does not take it."
            yield self.failed("scheme and axis", "axis-for-all", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        findings = list(self._settings(case, evidence))
        yield from findings
        if not _behaves_as_it_says(case, evidence):
            symptom = "After it has seen the same data, its scale or zero point is not the one that its settings give."
            for criterion in ("class", "range and dtype", "scheme and axis"):
                yield self.failed(criterion, None, symptom)

    def _settings(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        expected = _reference(case)
        wanted, got = _attributes(expected), evidence.facts["attributes"]
        yield self._class(evidence.facts["class"], type(expected).__name__)
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

    def _class(self, got: str, wanted: str) -> Finding:
        if got == wanted:
            return self.passed("class")
        detail = f"asked for: {wanted}; yours: {got}"
        if got in ("PartialWrapper", "_PartialWrapper", "partial", "function", "type", "ABCMeta"):
            symptom = "What comes back is a constructor and not an observer."
            return self.failed("class", "not-called", symptom, detail=detail)
        symptom = "It is not an observer of the class that the spec names."
        return self.failed("class", "wrong-class", symptom, detail=detail)

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


def _behaves_as_it_says(case: Case, evidence: Evidence) -> bool:
    """Whether scale and zero point are those of an observer with the settings that the evidence claims."""
    import torch

    import common.pt2e as pt2e

    kinds = ("MinMaxObserver", "PerChannelMinMaxObserver", "HistogramObserver", "MovingAverageMinMaxObserver")
    claimed = evidence.facts["attributes"]
    name = evidence.facts["class"] if evidence.facts["class"] in kinds else evidence.facts.get("inside")
    if name not in kinds or not evidence.has("scale") or not evidence.has("zero_point"):
        return False
    settings = {k: getattr(torch, str(claimed[k]).removeprefix("torch."), None) for k in ("dtype", "qscheme")}
    settings |= {k: claimed[k] for k in ("quant_min", "quant_max", "eps", "ch_axis") if claimed.get(k) is not None}
    if not name.startswith("PerChannel"):
        settings.pop("ch_axis", None)
    try:
        observer = getattr(pt2e, name)(**settings)
        observer(_data(case))
        scale, zero_point = observer.calculate_qparams()
    except Exception:  # settings that no observer accepts
        return False
    return torch.equal(evidence.tensor("scale"), scale) and torch.equal(evidence.tensor("zero_point"), zero_point)


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
