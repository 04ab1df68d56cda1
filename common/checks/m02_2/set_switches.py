"""The two switches of FakeQuantize, for a whole graph and in every phase."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch

PHASES = {"calibrate": (True, False), "train": (True, True), "freeze": (False, True), "off": (False, False)}
"""Phase → (the observer learns, the fake quant rounds)."""


class SetSwitches(Exercise):
    """set_switches(model, phase): set observer and fake-quant switches of all FakeQuantize modules for a phase."""

    id = "m02_2.set_switches"
    kind = "practice"
    minutes = 10
    criteria = {"calibrate": 1, "train": 1, "freeze": 1, "off": 1}
    parameters = ("model", "phase")
    hints = (
        "There are four functions: `enable_observer`, `disable_observer`, `enable_fake_quant`, `disable_fake_quant`.",
        "`model.apply(function)` calls a function on every module of a model; the four functions leave modules that "
        "have no such switch alone.",
        "Set both switches in every phase. The model may come from any other phase, so what was off before may have to "
        "be switched on.",
    )
    misconceptions = {
        "swapped": "The observer switch decides whether the range is learned. The fake-quant switch decides whether "
        "values are rounded. They do not depend on each other.",
        "observer-left-on": "Freezing means that the scale stays as it is. As long as the observer is on, every forward "
        "may change it, a measurement too.",
        "only-some": "Every FakeQuantize in the graph has its own two switches.",
        "only-switches-off": "A phase may follow on any other. Setting only what has to be off leaves the other switch "
        "as the phase before had it.",
        "not-applied": "The four functions look at one module only. `model.apply(function)` calls them on every module "
        "inside of the model.",
        "replaced": "The modules are switched, not exchanged: a new module has forgotten its range.",
    }
    public_cases = (Case(model="conv_relu"),)
    facts = {
        "switches": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["before", "phase", "modules", "same_modules", "scales", "output_sum"],
                "properties": {
                    "before": {"enum": list(PHASES)},
                    "phase": {"enum": list(PHASES)},
                    "same_modules": {"type": "boolean"},
                    "scales": {"type": "array", "items": NUMBER, "maxItems": 20},
                    "output_sum": NUMBER,
                    "modules": {
                        "type": "object",
                        "additionalProperties": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
                    },
                },
            },
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        seen: list[dict[str, Any]] = []
        for before in PHASES:
            for phase in PHASES:
                model = _model(case, *PHASES[before])
                modules = _fake_quants(model)
                ev.call(answer, model, phase)
                states = {name: _state(m) for name, m in modules.items()}
                same = all(_fake_quants(model).get(name) is m for name, m in modules.items())
                with ev.student("the model was run after its switches were set"):
                    entry = {"before": before, "phase": phase, "modules": states, "same_modules": same}
                    seen.append(entry | _run(case, model))
                ev.fact("switches", seen)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("switches"):
            yield from (f for f in self.judge(case, evidence) if not f.passed)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        names = list(_fake_quants(_model(case, True, True)))
        by_phase: dict[str, list[dict[str, Any]]] = {phase: [] for phase in PHASES}
        for entry in evidence.facts["switches"]:
            by_phase[entry["phase"]].append(entry)
        entries = evidence.facts["switches"]
        untouched = all(_states(e) == {PHASES[e["before"]]} and e["same_modules"] for e in entries)
        for phase, tries in by_phase.items():
            if {e["before"] for e in tries} != set(PHASES) or len(tries) != len(PHASES):
                yield self.failed(phase, None, "This phase was not tried from every other phase.")
                continue
            # The same run with right switches: it tells whether the model really behaves as its switches say.
            model = _model(case, True, True)
            for module in _fake_quants(model).values():
                _switch(module, *PHASES[phase])
            expected = _run(case, model)
            wrong = [
                e
                for e in tries
                if list(e["modules"]) != names
                or _states(e) != {PHASES[phase]}
                or not e["same_modules"]
                or {k: e[k] for k in expected} != expected
            ]
            if not wrong:
                yield self.passed(phase)
            elif untouched:
                yield self.failed(phase, "not-applied", "No switch has changed.")
            else:
                yield self._explain(phase, wrong)

    def _explain(self, phase: str, wrong: list[dict[str, Any]]) -> Finding:
        learns, rounds = PHASES[phase]
        states = [state for e in wrong for state in _states(e)]
        if not all(e["same_modules"] for e in wrong):
            return self.failed(phase, "replaced", "A FakeQuantize of the model was exchanged for another one.")
        if any((learns, rounds) in _states(e) for e in wrong):
            return self.failed(phase, "only-some", "Some FakeQuantize modules have the right switches, others do not.")
        if {e["before"] for e in wrong} != set(PHASES):
            symptom = "The switches come out right from some phases, but not from all."
            return self.failed(phase, "only-switches-off", symptom)
        if learns != rounds and all(state == (rounds, learns) for state in states):
            return self.failed(phase, "swapped", "The two switches are set the wrong way round.")
        if not learns and all(state[0] for state in states):
            return self.failed(phase, "observer-left-on", "The scale still moves when new data comes in.")
        return self.failed(phase, None, "The switches do not fit this phase.")


def _states(entry: dict[str, Any]) -> set[tuple[bool, ...]]:
    return {tuple(state) for state in entry["modules"].values()}


def _model(case: Case, learns: bool, rounds: bool) -> Any:
    """A net with fake quant that has seen one batch, its switches as asked for; inside of others where `nested`."""
    import torch
    from torch import nn

    from common.graph_utils import splice
    from common.pt2e import FakeQuantize, MinMaxObserver

    gm = exported(case.model, case.seed)
    nodes = [n for n in gm.graph.nodes if n.op == "placeholder" or "relu" in str(n.target)]
    for i, node in enumerate(nodes):
        module = FakeQuantize(observer=MinMaxObserver, dtype=torch.int8, quant_min=-128, quant_max=127)
        splice(gm, node, module, f"fq_{i}")
    gm.recompile()
    model = nn.Sequential(nn.Identity(), nn.Sequential(gm)) if case.get("nested") else gm
    with torch.no_grad():
        model(_data(case))
    for module in _fake_quants(model).values():
        _switch(module, learns, rounds)
    return model


def _data(case: Case) -> "torch.Tensor":
    return next(batches(case.seed))[0]


def _run(case: Case, model: Any) -> dict[str, Any]:
    """Show the model larger data; what it computes and what its scales are then depends on both switches."""
    import torch

    with torch.no_grad():
        output = model(3 * _data(case))
    scales = [float(m.scale) for m in _fake_quants(model).values()]
    return {"scales": scales, "output_sum": float(output.double().sum())}


def _fake_quants(model: Any) -> dict[str, Any]:
    from common.pt2e import FakeQuantizeBase

    return {name: m for name, m in model.named_modules() if isinstance(m, FakeQuantizeBase)}


def _state(module: Any) -> list[bool]:
    return [bool(module.observer_enabled[0]), bool(module.fake_quant_enabled[0])]


def _switch(module: Any, learns: bool, rounds: bool) -> None:
    module.enable_observer(learns)
    module.enable_fake_quant(rounds)
