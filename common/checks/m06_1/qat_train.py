"""The training loop of QAT: the loss falls, the scales learn, and the graph is in the right mode at the right time."""

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks.m06_1._nets import curve_batches, fake_quantized, fake_quants, training_flags
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx

MOST = 40
"""More tensors than any net of this exercise has in its state."""

_FLAGS = {"type": "array", "items": {"type": "boolean"}, "maxItems": 10}


@dataclass(frozen=True)
class _Way:
    """A way to train: the right one, or one with a mistake."""

    zero_grad: bool = True
    batches: str = "all"
    epochs: int = 0
    """Epochs more or fewer than asked for."""
    momentum: float = 0.0
    adam: bool = False
    sign: int = 1


_RIGHT = _Way()
_WRONG = (
    ("gradients-add-up", _Way(zero_grad=False)),
    ("one-batch", _Way(batches="first")),
    ("other-optimizer", _Way(adam=True)),
    ("other-optimizer", _Way(momentum=0.9)),
    ("one-epoch-off", _Way(epochs=-1)),
    ("one-epoch-off", _Way(epochs=1)),
    ("uphill", _Way(sign=-1)),
    ("other-order", _Way(batches="backwards")),
    ("one-step-an-epoch", _Way(batches="added up")),
)


class QATTrain(Exercise):
    """qat_train(prepared, batches, epochs, lr): train a prepared graph in place; return the mean loss of each epoch."""

    id = "m06_1.qat_train"
    kind = "core"
    minutes = 20
    criteria = {"weights": 2, "scales": 1, "mode": 2, "losses": 1}
    must_return = True
    parameters = ("prepared", "batches", "epochs", "lr")
    not_allowed = ("fit",)
    hints = (
        "It is the loop that trains any net. Only the mode is set in another way: before the loop, and after it.",
        "Before: `move_exported_model_to_train(prepared)`. For each batch: `zero_grad`, loss, `backward`, `step`. "
        "After: `move_exported_model_to_eval(prepared)`. Leave the switches of the fake quants as they are: both on.",
        "Collect `loss.item()` of the batches of an epoch in a list, and append its mean to the list of losses when the "
        "epoch is over.",
    )
    misconceptions = {
        "not-stepped": "`backward` only computes gradients. The weights change in `optimizer.step()`, and in the graph that "
        "the optimizer was given: a copy learns for itself.",
        "gradients-add-up": "`backward` *adds* to the gradients that are there. Without `zero_grad` each step goes along "
        "the sum of all gradients since the beginning.",
        "one-batch": "An epoch goes once through all batches. A net that has seen one of them only has learned that part "
        "of the data, and its observers know only that range.",
        "other-optimizer": "Adam or momentum make other steps. In a comparison everything but one thing has to be equal, "
        "and the exercise asks for plain SGD.",
        "one-epoch-off": "`epochs` says how often the training goes through the data.",
        "other-order": "Plain SGD goes another way when the batches come in another order. Here they come as in the list, in "
        "every epoch.",
        "one-step-an-epoch": "Each batch gives a step of its own: `zero_grad`, loss, `backward`, `step` all stand inside the "
        "loop over the batches.",
        "measured-afterwards": "The loss of a batch is the one that its step was made with. Whoever runs the graph once more "
        "gets another number, and the observers that are on learn from it.",
        "uphill": "The optimizer makes what it is given smaller: give it the loss, not its negative.",
        "eval-mode": "A graph does not know that it is being trained. In eval mode dropout does nothing (and batch norm uses "
        "old statistics); `move_exported_model_to_train` comes before the loop.",
        "left-in-train-mode": "Whoever gets the graph will measure or convert it. In train mode dropout is still active; "
        "`move_exported_model_to_eval` comes after the loop.",
        "observers-off": "With the observers off the scales stay what they were before the training. A fresh one is 1.0 "
        "and knows nothing about the data; values and weights change while training, and the range has to follow.",
        "fake-quant-off": "With fake quant off this is ordinary training: the weights learn nothing about the rounding.",
        "last-loss": "The loss of one batch is noisy. The mean over the batches of the epoch says more; that is what is asked.",
        "summed-loss": "The sum over the batches grows with their number. The mean does not.",
        "train-on-a-graph": "A graph from export has its mode written into its ops, and refuses `train()` and `eval()` (a "
        "deep copy of one may accept them, and does nothing). `move_exported_model_to_train` does it.",
    }
    public_cases = (
        Case(model="curve_drop", bits=4, epochs=3, lr=0.05),
        Case(model="curve", bits=4, epochs=4, lr=0.1, seed=1),
    )
    facts = {
        "losses": {"type": "array", "items": NUMBER, "maxItems": 50},
        "is_list": {"type": "boolean"},
        "modes": {"type": "array", "items": _FLAGS, "maxItems": 400},
        "mode_after": _FLAGS,
        "calls": {"type": "integer"},
        "observed": {"type": "integer"},
        "rounded": {"type": "integer"},
        "names": {"type": "array", "items": {"type": "string"}, "maxItems": MOST},
        **{f"state:{i}": TENSOR for i in range(MOST)},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import numpy as np
        import torch

        prepared = fake_quantized(case.model, case.seed, case.bits)
        modes: list[list[bool]] = []
        counts = {"calls": 0, "observed": 0, "rounded": 0}
        _watch(prepared, modes, counts)
        returned = ev.call(answer, prepared, _batches(case), case.epochs, case.lr)
        if isinstance(returned, (torch.Tensor, np.ndarray)):
            returned = returned.tolist()
        ev.fact("is_list", isinstance(returned, (list, tuple)))
        if not isinstance(returned, (list, tuple)):
            return
        with ev.student("the losses were read as numbers"):
            losses = [float(v) for v in list(returned)[:50]]
        ev.fact("losses", losses)
        ev.fact("modes", [flags[:10] for flags in modes[:400]])
        ev.fact("mode_after", training_flags(prepared)[:10])
        for name, count in counts.items():
            ev.fact(name, count)
        state = {k: v for k, v in prepared.state_dict().items() if _is_compared(k)}
        ev.fact("names", list(state)[:MOST])
        for i, tensor in enumerate(list(state.values())[:MOST]):
            ev.tensor(f"state:{i}", tensor)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if "scale and zero-point are not consistent with input" in message:
            symptom = (
                "The graph was run before its observers had seen anything: a fake quant has no scale for each channel."
            )
            yield self.failed("scales", "observers-off", symptom)
        elif message.strip().startswith(("Calling train()", "Calling eval()")):  # of export, and of torchao
            yield self.failed("mode", "train-on-a-graph", "`train()` or `eval()` was called on a graph.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_list"]:
            yield Finding(None, False, "form", "The function does not return a list of losses.")
            return
        names = evidence.facts["names"]
        got = {name: evidence.tensor(f"state:{i}") for i, name in enumerate(names)}
        start, wanted = _start(case), _trained(case, _RIGHT)
        if got.keys() != wanted.state.keys() or any(got[k].shape != start[k].shape for k in _weights(start)):
            yield Finding(None, False, "form", "The graph does not have the weights any more that it came with.")
            return
        mode = self._mode(evidence)
        scales = self._scales(case, evidence, got)
        weights = self._learned(case, evidence, got, mode.misconception, scales.misconception)
        yield from (weights, scales, mode)
        yield self._losses(case, evidence, weights.passed)

    def _mode(self, evidence: Evidence) -> Finding:
        during, after = evidence.facts["modes"], evidence.facts["mode_after"]
        if not evidence.facts["calls"]:
            return self.failed("mode", None, "The graph itself has not been run.")
        if any(not all(flags) for flags in during):
            return self.failed("mode", "eval-mode", "While the graph was trained, it was in eval mode.")
        if any(after):
            return self.failed("mode", "left-in-train-mode", "The graph is still in train mode at the end.")
        return self.passed("mode")

    def _scales(self, case: Case, evidence: Evidence, got: "dict[str, torch.Tensor]") -> Finding:
        import torch

        facts = evidence.facts
        wanted, start = _trained(case, _RIGHT).state, _start(case)
        keys = [k for k in wanted if k.endswith(".scale")]
        if facts["calls"] and facts["observed"] < facts["calls"]:
            symptom = "Some runs of the graph taught its observers nothing: they were off."
            return self.failed("scales", "observers-off", symptom)
        if any(got[k].shape != wanted[k].shape for k in keys):
            return self.failed("scales", None, "Scales of the graph have another shape than its channels.")
        if all(got[k].shape == start[k].shape and torch.equal(got[k], start[k]) for k in keys):
            return self.failed("scales", None, "The scales are the same as before the training.")
        # The scale of an activation follows the data and the weights; half as much or twice as much is no other training.
        if any(not bool(((got[k] / wanted[k] > 0.5) & (got[k] / wanted[k] < 2.0)).all()) for k in keys):
            return self.failed("scales", None, "The scales do not fit what flows through the graph.")
        return self.passed("scales")

    def _learned(
        self, case: Case, evidence: Evidence, got: "dict[str, torch.Tensor]", mode: str | None, scales: str | None
    ) -> Finding:
        criterion, facts = "weights", evidence.facts
        start, right = _start(case), _trained(case, _RIGHT).state
        if _distance(got, start) == 0:
            return self.failed(criterion, "not-stepped", "The weights of the graph are the same as before.")
        if facts["rounded"] < facts["calls"]:
            symptom = "In some runs of the graph nothing was rounded: fake quant was off."
            return self.failed(criterion, "fake-quant-off", symptom)
        moved = _distance(right, start)
        distance = _distance(got, right)
        # With dropout a run more or less changes which values are dropped; without it the same steps are wanted.
        limit = 0.5 if facts["modes"] and facts["modes"][0] else 0.1
        if distance <= 0.01 * moved:
            return self.passed(criterion)
        nearest, kind = min((_distance(got, _trained(case, way).state), kind) for kind, way in _WRONG)
        if mode == "eval-mode" or scales == "observers-off":
            if distance <= 1e-3 * moved:
                return self.passed(criterion)
            kind = mode if mode == "eval-mode" else scales
            symptom = "The weights are not those that this training gives."
            return self.failed(criterion, kind, symptom)
        if distance <= limit * moved and distance <= nearest:
            return self.passed(criterion)
        kind = kind if nearest <= 0.1 * moved else None
        symptom = "The weights are not those that plain SGD gives with these batches, epochs and this learning rate."
        return self.failed(criterion, kind, symptom)

    def _losses(self, case: Case, evidence: Evidence, learned: bool) -> Finding:
        criterion, said = "losses", evidence.facts["losses"]
        right = _trained(case, _RIGHT)
        if len(said) != case.epochs:
            kind, count = None, sum(len(e) for e in right.losses)
            symptom = "The list does not hold one loss for each epoch."
            detail = f"yours: {len(said)} numbers" + (", one for each batch" if len(said) == count else "")
            return self.failed(criterion, kind, symptom, detail=detail)

        def like(wanted: list[float]) -> bool:
            tolerance = 0.02 if learned else 0.3
            return all(abs(a - b) <= tolerance * abs(b) for a, b in zip(said, wanted, strict=True))

        if like([sum(e) / len(e) for e in right.losses]):
            return self.passed(criterion)
        if learned and like([e[-1] for e in right.losses]):
            symptom = "The numbers are the losses of the last batch of each epoch."
            return self.failed(criterion, "last-loss", symptom)
        if learned and like([sum(e) for e in right.losses]):
            return self.failed(criterion, "summed-loss", "The numbers are sums over the batches, not means.")
        detail = f"yours: {_told(said)}; wanted: {_told([sum(e) / len(e) for e in right.losses])}"
        if learned and like(right.afterwards):
            symptom = "The numbers are the losses after each epoch, not those of its steps."
            return self.failed(criterion, "measured-afterwards", symptom, detail=detail)
        symptom = "The numbers are not the mean squared errors that the graph makes in each epoch."
        return self.failed(criterion, None, symptom, detail=detail)


def _told(values: list[float]) -> str:
    return ", ".join(f"{v:.4f}" for v in values[:6]) + (", …" if len(values) > 6 else "")


def _watch(prepared: "fx.GraphModule", modes: list[list[bool]], counts: dict[str, int]) -> None:
    """Write down, whenever the graph (or a copy of it) is run while gradients are on: its mode and its switches."""
    import torch

    def look(module: Any, _inputs: Any) -> None:
        if torch.is_grad_enabled():
            modes.append(training_flags(module))

    def count(module: Any, _inputs: Any) -> None:
        if torch.is_grad_enabled():
            counts["calls"] += 1
            counts["observed"] += int(module.observer_enabled[0])
            counts["rounded"] += int(module.fake_quant_enabled[0])

    prepared.register_forward_pre_hook(look)
    for module in fake_quants(prepared).values():
        module.register_forward_pre_hook(count)


def _batches(case: Case) -> "list[tuple[torch.Tensor, torch.Tensor]]":
    return curve_batches(case.model, case.seed + 5)


def _is_compared(key: str) -> bool:
    return not key.endswith(("_enabled", ".eps", ".min_val", ".max_val"))


def _weights(state: "dict[str, torch.Tensor]") -> list[str]:
    return [k for k in state if not k.endswith((".scale", ".zero_point"))]


def _distance(a: "dict[str, torch.Tensor]", b: "dict[str, torch.Tensor]") -> float:
    """How far the weights of two states are apart (Euclidean)."""
    total = sum(float((a[k].double() - b[k].double()).square().sum()) for k in _weights(b))
    return float("inf") if math.isnan(total) else total**0.5


def _start(case: Case) -> "dict[str, torch.Tensor]":
    state = fake_quantized(case.model, case.seed, case.bits).state_dict()
    return {k: v for k, v in state.items() if _is_compared(k)}


@dataclass(frozen=True)
class _Result:
    state: "dict[str, torch.Tensor]"
    losses: list[list[float]]
    """Of each batch in each epoch, as the step was made."""
    afterwards: list[float]
    """The mean over all batches when an epoch is over."""


def _trained(case: Case, way: _Way) -> _Result:
    return _own_training(case.model, case.seed, case.bits, case.epochs, case.lr, way)


@lru_cache(maxsize=128)
def _own_training(model: str, seed: int, bits: int, epochs: int, lr: float, way: _Way) -> _Result:
    """The judge's own training, from the state of random numbers that the probe starts from."""
    import torch
    from torch import nn, optim

    case = Case(model=model, seed=seed, bits=bits, epochs=epochs, lr=lr)
    in_train_mode, random_state = _in_train_mode(model, seed, bits)
    gm = copy.deepcopy(in_train_mode)
    torch.set_rng_state(random_state)
    batches = _batches(case)
    batches = {"first": batches[:1], "backwards": batches[::-1]}.get(way.batches, batches)
    optimizer = optim.Adam(gm.parameters(), lr=lr) if way.adam else optim.SGD(gm.parameters(), lr, way.momentum)
    losses: list[list[float]] = []
    afterwards: list[float] = []
    for _epoch in range(epochs + way.epochs):
        losses.append([])
        for x, y in batches:
            if way.zero_grad and way.batches != "added up":
                optimizer.zero_grad()
            loss = way.sign * nn.functional.mse_loss(gm(x), y)
            loss.backward()
            if way.batches != "added up":
                optimizer.step()
            losses[-1].append(loss.item())
        if way.batches == "added up":
            optimizer.step()
            optimizer.zero_grad()
        afterwards.append(_measured(gm, batches))
    state = {k: v.detach().clone() for k, v in gm.state_dict().items() if _is_compared(k)}
    return _Result(state, losses, afterwards)


def _measured(gm: "fx.GraphModule", batches: "list[tuple[torch.Tensor, torch.Tensor]]") -> float:
    """The mean loss over the batches, on a copy; random numbers go on as if nothing had been run."""
    import torch
    from torch import nn

    twin = copy.deepcopy(gm)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        return sum(nn.functional.mse_loss(twin(x), y).item() for x, y in batches) / len(batches)


@lru_cache(maxsize=16)
def _in_train_mode(model: str, seed: int, bits: int) -> "tuple[fx.GraphModule, torch.Tensor]":
    """The graph in train mode, and the state of random numbers then: switching takes some, and much time."""
    import torch

    from common.pt2e import move_exported_model_to_train

    torch.manual_seed(seed)
    gm = fake_quantized(model, seed, bits)
    if training_flags(gm):
        move_exported_model_to_train(gm)
    return gm, torch.get_rng_state()
