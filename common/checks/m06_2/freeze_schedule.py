"""When the scales and the statistics of batch norm are frozen in QAT, epoch by epoch."""

from collections.abc import Iterator
from typing import Any

from common.checks.m06_1._nets import fake_quantized, fake_quants, points, training_flags
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

_FLAGS = {"type": "array", "items": {"type": "boolean"}, "maxItems": 10}


class FreezeSchedule(Exercise):
    """freeze_schedule(prepared, epoch, scales_from, norm_from): set switches and batch norm before an epoch."""

    id = "m06_2.freeze_schedule"
    kind = "core"
    minutes = 15
    criteria = {"scales": 2, "rounding": 1, "batch norm": 1}
    parameters = ("prepared", "epoch", "scales_from", "norm_from")
    hints = (
        "Two questions, asked anew before every epoch: may the observers still learn, and may batch norm still learn? "
        "The answers do not depend on each other.",
        "`prepared.apply(disable_observer)` freezes the scales; fake quant stays on. In the graph, a batch norm is a node "
        "with the target `torch.ops.aten.batch_norm.default`, and `args[5]` says whether it trains.",
        "A node's `args` is a tuple: `node.args = (*node.args[:5], False, *node.args[6:])`, and afterwards "
        "`prepared.recompile()`. (`move_exported_model_to_eval` and `…_to_train` do it too.) Use `epoch >= …`: a training "
        "that is resumed may begin behind the limit.",
    )
    misconceptions = {
        "disables-fake-quant": "Freezing is about the *learning* of the scale. The rounding goes on until the end: without "
        "it, the last epochs train a float net, and the weights forget what they have learned.",
        "freezes-at-once": "At the beginning the weights move most, and the ranges with them. The observers have to be on "
        "until the epoch that is named.",
        "never-freezes": "With the observers on until the end, the scale is still moving at the moment when it is baked in, "
        "and the weights never learn with the scale that they will have. (`disable_observer(graph)` looks at one module only: "
        "`graph.apply(disable_observer)` calls it on every module inside.)",
        "one-epoch-off": "Epochs count from 0, and *from* an epoch on means: this epoch included.",
        "only-that-epoch": "A training that is resumed may begin behind the limit, and its switches are as they were, so "
        "every call from the limit on has to find things frozen or freeze them: compare with `>=`, not with `==`.",
        "statistics-of-the-batch": "Batch norm in training uses the mean and the variance of the *batch*. With a momentum "
        "of 0 its running statistics stand still, but they are not used either; the flag decides which of them is used.",
        "norm-left-training": "Batch norm that trains uses the statistics of the batch, and moves its own. The flag stands in "
        "the graph's node; a change needs `recompile()`, and the switches of fake quant have no influence on it.",
        "norm-with-the-scales": "The two limits are two parameters. Batch norm may be frozen earlier or later than the scales.",
    }
    public_cases = (Case(model="linear_bn", epochs=[0, 1, 2, 3, 4], scales_from=2, norm_from=3),)
    facts = {
        "epochs": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "type": "object",
                "required": ["observe", "round", "norm", "runs"],
                "properties": {"observe": _FLAGS, "round": _FLAGS, "norm": _FLAGS, "runs": {"type": "boolean"}},
            },
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        prepared = fake_quantized(case.model, case.seed, 4, train=True)
        with torch.no_grad():  # so that every fake quant has a scale
            prepared(points(case.model, case.seed, 8))
        seen: list[dict[str, Any]] = []
        for epoch in case.epochs:
            ev.call(answer, prepared, epoch, case.scales_from, case.norm_from)
            modules = list(fake_quants(prepared).values())[:10]
            with ev.student("the graph was run after the switches were set"):
                moves = _statistics_move(prepared, case)
            entry = {
                "observe": [bool(m.observer_enabled[0]) for m in modules],
                "round": [bool(m.fake_quant_enabled[0]) for m in modules],
                "norm": training_flags(prepared)[:10],
                "runs": moves,
            }
            seen.append(entry)
            ev.fact("epochs", seen)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        seen = evidence.facts["epochs"]
        count = len(fake_quants(fake_quantized(case.model, case.seed, 4, train=True)))
        if len(seen) != len(case.epochs) or any(len(e["observe"]) != count or len(e["norm"]) != 1 for e in seen):
            yield Finding(None, False, "form", "Fake quants or the batch norm of the graph are missing afterwards.")
            return
        wanted = [epoch < case.scales_from for epoch in case.epochs]
        yield self._scales(case, [e["observe"] for e in seen], wanted)
        if all(all(e["round"]) for e in seen):
            yield self.passed("rounding")
        else:
            symptom = "In some epoch the values are not rounded: fake quant is off."
            yield self.failed("rounding", "disables-fake-quant", symptom)
        yield self._norm(case, seen)

    def _scales(self, case: Case, observe: list[list[bool]], wanted: list[bool]) -> Finding:
        criterion = "scales"
        if any(len(set(flags)) > 1 for flags in observe):
            return self.failed(criterion, None, "Some observers are on and others are off in the same epoch.")
        got = [flags[0] for flags in observe]
        if got == wanted:
            return self.passed(criterion)
        detail = self._told(case, "observers on", got, wanted)
        if case.epochs[0] >= case.scales_from:
            symptom = "A training that is resumed behind the limit does not have frozen scales."
            return self.failed(criterion, "only-that-epoch", symptom, detail=detail)
        if not any(got):
            symptom = "The observers are off from the first epoch on."
            return self.failed(criterion, "freezes-at-once", symptom, detail=detail)
        if all(got):
            return self.failed(criterion, "never-freezes", "The observers are on until the end.", detail=detail)
        shifted = [[e < case.scales_from + d for e in case.epochs] for d in (-1, 1)]
        kind = "one-epoch-off" if got in shifted else None
        if got == [epoch != case.scales_from for epoch in case.epochs]:
            kind = "only-that-epoch"
        return self.failed(criterion, kind, "The scales are frozen in other epochs than asked for.", detail=detail)

    def _norm(self, case: Case, seen: list[dict[str, Any]]) -> Finding:
        criterion = "batch norm"
        wanted = [epoch < case.norm_from for epoch in case.epochs]
        flags, runs = [e["norm"][0] for e in seen], [e["runs"] for e in seen]
        if flags == wanted == runs:
            return self.passed(criterion)
        detail = self._told(case, "batch norm trains", runs, wanted)
        if all(runs):
            symptom = "Batch norm goes on training until the end: a forward still moves its statistics."
            return self.failed(criterion, "norm-left-training", symptom, detail=detail)
        if runs == wanted:
            symptom = (
                "The statistics of batch norm stand still when they should, but its training flag says another thing."
            )
            kind = "statistics-of-the-batch" if sum(flags) > sum(wanted) else None
            detail = self._told(case, "the flag is on", flags, wanted)
            return self.failed(criterion, kind, symptom, detail=detail)
        if case.epochs[0] >= case.norm_from:
            symptom = "A training that is resumed behind the limit does not have a frozen batch norm."
            return self.failed(criterion, "only-that-epoch", symptom, detail=detail)
        symptom = "Batch norm is frozen in other epochs than asked for."
        if runs == [epoch < case.scales_from for epoch in case.epochs]:
            return self.failed(criterion, "norm-with-the-scales", symptom, detail=detail)
        kind = "one-epoch-off" if runs in [[e < case.norm_from + d for e in case.epochs] for d in (-1, 1)] else None
        return self.failed(criterion, kind, symptom, detail=detail)

    def _told(self, case: Case, what: str, got: list[bool], wanted: list[bool]) -> str:
        def words(flags: list[bool]) -> str:
            return ", ".join(str(e) for e, flag in zip(case.epochs, flags, strict=True) if flag) or "none"

        return f"epochs in which {what}: yours {words(got)}; wanted {words(wanted)} (of {case.epochs})"


def _statistics_move(prepared: Any, case: Case) -> bool:
    """Whether a forward moves the statistics of batch norm; afterwards all is as before.

    It is the graph itself that runs: a copy of one is compiled anew, and the caller's may not be.
    """
    import torch

    kept = [(b, b.clone()) for _name, b in prepared.named_buffers()]
    statistics = [b for name, b in prepared.named_buffers() if name.endswith("running_mean")]
    before = [b.clone() for b in statistics]
    with torch.no_grad():
        prepared(points(case.model, case.seed, 8))
        moved = not all(torch.equal(a, b) for a, b in zip(before, statistics, strict=True))
        for buffer, value in kept:
            buffer.copy_(value)
    return moved
