"""The weight and bias of one conv that computes what a conv and a batch norm compute."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import nn

TOLERANCE = 1e-4
"""Of the size of the terms: float32 is good to 1e-6 of it, and every known mistake is off by much more."""


class FoldBn(Exercise):
    """fold_bn(conv, bn): weight and bias of one conv that computes bn(conv(x))."""

    id = "m04_1.fold_bn"
    kind = "core"
    minutes = 20
    criteria = {"weight": 2, "bias": 1, "layers unchanged": 1}
    must_return = True
    parameters = ("conv", "bn")
    not_allowed = ("fuse_conv_bn_weights", "fuse_conv_bn_eval", "fuse", "prepare_pt2e")
    hints = (
        "Write the formula of the batch norm with the output of the conv in it, and sort: what is multiplied with the input "
        "goes into the weight, the rest goes into the bias.",
        "`s = gamma / torch.sqrt(running_var + eps)` has one number for each output channel. Each output channel of the "
        "weight is multiplied with its own: the first dimension of `conv.weight` is the output channel.",
        "What may be missing: `conv.bias` is then 0, `bn.weight` is 1, `bn.bias` is 0. The new bias is "
        "`(conv.bias - bn.running_mean) * s + bn.bias`.",
    )
    misconceptions = {
        "no-eps": "`eps` belongs to the formula: it is added to the variance. Where a variance is small it is most of the sum.",
        "eps-outside": "`eps` is added to the variance, under the root: `sqrt(var + eps)`, not `sqrt(var) + eps`.",
        "default-eps": "`eps` is a setting of the layer, `bn.eps`. 1e-5 is only what torch takes if nothing else is said.",
        "variance": "The variance is the square of the spread. The batch norm divides by its root.",
        "wrong-axis": "The scales belong to the *output* channels of the conv, and those are the first dimension of its "
        "weight: (output, input, height, width).",
        "no-gamma": "A batch norm that is affine multiplies with its own weight after it has divided. It is a part of the "
        "scale.",
        "conv-bias-lost": "The batch norm reads the output of the conv, with the bias of the conv in it. It must not get lost.",
        "conv-bias-unscaled": "The batch norm multiplies the bias of the conv too: it is a part of the value that it reads.",
        "mean-unscaled": "First the mean is taken away, then it is divided and multiplied. So the mean is multiplied with "
        "the scale as well.",
        "mean-added": "The batch norm takes the mean *away* from what it reads.",
        "no-beta": "A batch norm that is affine adds its own bias at the end.",
        "missing-part": "`nn.Conv2d(bias=False)` has `bias` None; `nn.BatchNorm2d(affine=False)` has `weight` and `bias` None. "
        "A missing bias is 0, a missing weight is 1.",
        "no-bias-returned": "Where the conv has no bias, the folded one needs one all the same: the mean and the bias of the "
        "batch norm have to go somewhere.",
        "changes-layers": "The function only computes. Whoever calls it may still need the layers as they are: make new "
        "tensors, and do not write into the old ones.",
        "batch-statistics": "In train mode a batch norm takes mean and variance of the batch that it is given, and not the running "
        "ones. Take the formula, or ask a copy in eval mode.",
        "form": "The function returns two tensors: `return weight, bias`.",
    }
    public_cases = (
        Case(conv={"ins": 3, "outs": 6}, bn={}),
        Case(conv={"ins": 4, "outs": 4, "bias": False}, bn={"eps": 1e-3, "var": 1e-4}, seed=1),
        Case(conv={"ins": 4, "outs": 4}, bn={"affine": False}, mode="train", seed=2),
    )
    facts = {
        "form": {"type": "string"},
        "weight": TENSOR,
        "bias": TENSOR,
        "bias_is_none": {"type": "boolean"},
        "modes": {"type": "array", "maxItems": 2, "items": {"type": "boolean"}},
        **{f"after_{name}": TENSOR for name in ("conv.weight", "conv.bias", "bn.weight", "bn.bias")},
        **{f"after_{name}": TENSOR for name in ("bn.running_mean", "bn.running_var")},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        conv, bn = layers(case)
        returned = ev.call(answer, conv, bn)
        pair = list(returned) if isinstance(returned, (tuple, list)) and len(returned) == 2 else None
        good = pair is not None and all(isinstance(t, torch.Tensor) or t is None for t in pair)
        ev.fact("form", "pair" if good else type(returned).__name__)
        if pair is None or not good:
            return
        for name, tensor in zip(("weight", "bias"), pair, strict=True):
            if isinstance(tensor, torch.Tensor):
                ev.tensor(name, tensor)
        ev.fact("bias_is_none", pair[1] is None)
        ev.fact("modes", [bool(conv.training), bool(bn.training)])
        for name, tensor in _state(conv, bn).items():
            ev.tensor(f"after_{name}", tensor)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message = exception.get("message", "")
        none = "NoneType" in message or "not None" in message or "got None" in message
        if none and exception.get("type") in ("TypeError", "AttributeError"):
            conv, bn = layers(case)
            missing = [
                n for n, p in (("conv.bias", conv.bias), ("bn.weight", bn.weight), ("bn.bias", bn.bias)) if p is None
            ]
            if missing:
                symptom = "Something that a layer may lack was used as if it were always there."
                yield self.failed("bias", "missing-part", symptom, detail=f"here {', '.join(missing)} is None")
        elif message.startswith("Expected more than 1 value per channel when training"):
            yield self.failed("weight", "batch-statistics", "The batch norm was run in train mode.")
        elif "must match the size of tensor" in message:
            symptom = "Weight and scales do not fit together: the scales lie along another dimension."
            yield self.failed("weight", "wrong-axis", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if evidence.facts.get("form") != "pair":
            found = evidence.facts.get("form")
            yield Finding(
                None, False, "form", f"The result is not a pair of tensors, but {found}.", self.misconceptions["form"]
            )
            return
        conv, bn = layers(case)
        weights, biases = _candidates(conv, bn)
        weight = self._weight(evidence, weights)
        yield weight
        yield self._bias(evidence, biases, weight)
        before = {f"after_{name}": t for name, t in _state(conv, bn).items()}
        same = all(evidence.has(n) and torch.equal(evidence.tensor(n), t.detach()) for n, t in before.items())
        if same and evidence.facts["modes"] != [conv.training, bn.training]:
            symptom = "A layer is in another mode than before (`training`)."
            yield self.failed("layers unchanged", "changes-layers", symptom)
        elif same:
            yield self.passed("layers unchanged")
        elif (
            bn.training
            and evidence.has("after_bn.running_mean")
            and not torch.equal(evidence.tensor("after_bn.running_mean"), before["after_bn.running_mean"])
        ):
            symptom = "The batch norm was run in train mode, and has other running statistics now."
            yield self.failed("layers unchanged", "batch-statistics", symptom)
        else:
            yield self.failed("layers unchanged", "changes-layers", "The given layers are not the same as before.")

    def _weight(self, evidence: Evidence, wanted: "Mapping[str, torch.Tensor]") -> Finding:
        if not evidence.has("weight"):
            return self.failed("weight", "form", "There is no weight in the result.")
        got = evidence.tensor("weight")
        if got.shape != wanted["right"].shape:
            symptom = "The folded weight has another shape than the weight of the conv."
            detail = f"{tuple(got.shape)}, and the weight of the conv has {tuple(wanted['right'].shape)}"
            return self.failed("weight", None, symptom, detail=detail)
        kind = _which(got, wanted)
        if kind == "right":
            return self.passed("weight")
        return self.failed("weight", kind, "The folded weight has other numbers than it should.")

    def _bias(self, evidence: Evidence, wanted: "Mapping[str, torch.Tensor]", weight: Finding) -> Finding:
        if not evidence.has("bias"):
            return self.failed("bias", "no-bias-returned", "There is no bias in the result.")
        got = evidence.tensor("bias")
        if got.shape != wanted["right"].shape:
            symptom = "The folded bias does not have one number for each output channel."
            return self.failed("bias", None, symptom, detail=f"its shape is {tuple(got.shape)}")
        kind = _which(got, {k: v for k, v in wanted.items() if k == "right" or not k.startswith("scale:")})
        if kind == "right":
            return self.passed("bias")
        if kind is None and weight.misconception:
            kind = _which(got, {k[6:]: v for k, v in wanted.items() if k.startswith("scale:")})
        return self.failed("bias", kind, "The folded bias has other numbers than it should.")


def layers(case: Case) -> "tuple[nn.Conv2d, nn.BatchNorm2d]":
    """A conv and a batch norm that has seen data: for inference, or (`mode` "train") in the middle of a training."""
    import torch
    from torch import nn

    want: dict[str, Any] = {"bias": True, "groups": 1, "kernel": 3} | dict(case.conv)
    norm: dict[str, Any] = {"affine": True, "eps": 1e-5, "var": None} | dict(case.bn)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case.seed + 10)
        conv = nn.Conv2d(want["ins"], want["outs"], want["kernel"], groups=want["groups"], bias=want["bias"])
        bn = nn.BatchNorm2d(want["outs"], eps=norm["eps"], affine=norm["affine"])
        with torch.no_grad():
            bn.running_mean.normal_()  # type: ignore[union-attr]
            bn.running_var.uniform_(0.3, 3)  # type: ignore[union-attr]
            if norm["var"] is not None:
                bn.running_var.mul_(norm["var"])  # type: ignore[union-attr]
            if norm["affine"]:
                bn.weight.uniform_(0.5, 2)
                bn.bias.normal_()
    training = case.get("mode") == "train"
    return conv.train(training), bn.train(training)


def _state(conv: Any, bn: Any) -> "dict[str, torch.Tensor]":
    import torch

    found = {
        "conv.weight": conv.weight,
        "conv.bias": conv.bias,
        "bn.weight": bn.weight,
        "bn.bias": bn.bias,
        "bn.running_mean": bn.running_mean,
        "bn.running_var": bn.running_var,
    }
    return {name: tensor for name, tensor in found.items() if isinstance(tensor, torch.Tensor)}


def _candidates(conv: Any, bn: Any) -> "tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]":
    """The right weight and bias, and what known wrong ideas give, in float64."""
    import torch

    w = conv.weight.detach().double()
    outs = w.shape[0]
    zero, one = torch.zeros(outs, dtype=torch.float64), torch.ones(outs, dtype=torch.float64)
    b = zero if conv.bias is None else conv.bias.detach().double()
    gamma = one if bn.weight is None else bn.weight.detach().double()
    beta = zero if bn.bias is None else bn.bias.detach().double()
    mean, var, eps = bn.running_mean.double(), bn.running_var.double(), bn.eps
    s = gamma / (var + eps).sqrt()
    scales = {
        "no-eps": gamma / var.sqrt(),
        "eps-outside": gamma / (var.sqrt() + eps),
        "default-eps": gamma / (var + 1e-5).sqrt(),
        "variance": gamma / (var + eps),
        "no-gamma": 1 / (var + eps).sqrt(),
    }
    weights = {"right": w * s.view(-1, 1, 1, 1)}
    weights |= {kind: w * scale.view(-1, 1, 1, 1) for kind, scale in scales.items()}
    weights["variance "] = w * (gamma / var).view(-1, 1, 1, 1)
    if w.shape[1] == outs:
        weights["wrong-axis"] = w * s.view(1, -1, 1, 1)
    if w.shape[-1] == outs:
        weights["wrong-axis "] = w * s
    biases = {
        "right": (b - mean) * s + beta,
        "conv-bias-lost": beta - mean * s,
        "conv-bias-unscaled": b + beta - mean * s,
        "mean-unscaled": b * s - mean + beta,
        "mean-added": (b + mean) * s + beta,
        "no-beta": (b - mean) * s,
    }
    biases |= {f"scale:{kind}": (b - mean) * scale + beta for kind, scale in scales.items()}
    return weights, biases


def _which(got: "torch.Tensor", wanted: "Mapping[str, torch.Tensor]") -> str | None:
    """The name of the first candidate that a tensor is equal to, up to rounding."""
    for kind, tensor in wanted.items():
        size = max(float(tensor.abs().max()), float(wanted["right"].abs().max()) if "right" in wanted else 0.0)
        if bool(((got.double() - tensor).abs() <= TOLERANCE * size).all()):
            return kind.strip()
    return None
