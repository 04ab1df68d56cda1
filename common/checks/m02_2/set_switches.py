"""The two switches of FakeQuantize, for a whole graph and in every phase."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

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
        "replaced": "The modules are switched, not exchanged: a new module has forgotten its range.",
    }
    public_cases = (Case(model="conv_relu"),)
    facts = {
        "switches": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["before", "phase", "modules", "same_modules", "scale_moved", "like_fp32"],
                "properties": {
                    "before": {"enum": list(PHASES)},
                    "phase": {"enum": list(PHASES)},
                    "same_modules": {"type": "boolean"},
                    "scale_moved": {"type": "boolean"},
                    "like_fp32": {"type": "boolean"},
                    "modules": {
                        "type": "object",
                        "additionalProperties": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
                    },
                },
            },
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        seen: list[dict[str, Any]] = []
        (x,) = next(batches(case.seed))
        for before in PHASES:
            for phase in PHASES:
                model = _with_fake_quant(case)
                with torch.no_grad():
                    model(x)
                fp32 = _output(exported(case.model, case.seed), x * 3)
                _switch(model, *PHASES[before])
                modules, scales = _fake_quants(model), _scales(model)
                ev.call(answer, model, phase)
                with ev.student("the model was run after its switches were set"):
                    output = _output(model, x * 3)
                    seen.append(
                        {
                            "before": before,
                            "phase": phase,
                            "modules": {name: _state(m) for name, m in modules.items()},
                            "same_modules": all(_fake_quants(model).get(k) is m for k, m in modules.items()),
                            "scale_moved": _scales(model) != scales,
                            "like_fp32": torch.equal(output, fp32),
                        }
                    )
                ev.fact("switches", seen)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("switches"):
            yield from (f for f in self.judge(case, evidence) if not f.passed)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        names = set(_fake_quants(_with_fake_quant(case)))
        by_phase: dict[str, list[dict[str, Any]]] = {phase: [] for phase in PHASES}
        for entry in evidence.facts["switches"]:
            by_phase[entry["phase"]].append(entry)
        for phase, entries in by_phase.items():
            if {e["before"] for e in entries} != set(PHASES) or len(entries) != len(PHASES):
                yield self.failed(phase, None, "This phase was not tried from every other phase.")
                continue
            wrong = [e for e in entries if set(e["modules"]) != names or not self._right(phase, e)]
            yield self._explain(phase, wrong) if wrong else self.passed(phase)

    def _right(self, phase: str, entry: dict[str, Any]) -> bool:
        learns, rounds = PHASES[phase]
        switches = all(state == [learns, rounds] for state in entry["modules"].values())
        return switches and entry["same_modules"] and entry["scale_moved"] == learns and entry["like_fp32"] != rounds

    def _explain(self, phase: str, wrong: list[dict[str, Any]]) -> Finding:
        learns, rounds = PHASES[phase]
        states = [tuple(s) for e in wrong for s in e["modules"].values()]
        if not all(e["same_modules"] for e in wrong):
            return self.failed(phase, "replaced", "A FakeQuantize of the model was exchanged for another one.")
        if any((learns, rounds) in {tuple(s) for s in e["modules"].values()} for e in wrong):
            return self.failed(phase, "only-some", "Some FakeQuantize modules have the right switches, others do not.")
        if {e["before"] for e in wrong} != set(PHASES):
            return self.failed(
                phase, "only-switches-off", "The switches come out right from some phases, but not from all."
            )
        if learns != rounds and all(s == (rounds, learns) for s in states):
            return self.failed(phase, "swapped", "The two switches are set the wrong way round.")
        if not learns and all(s[0] for s in states):
            return self.failed(phase, "observer-left-on", "The scale still moves when new data comes in.")
        return self.failed(phase, None, "The switches do not fit this phase.")


def _with_fake_quant(case: Case) -> "fx.GraphModule":
    from common.graph_utils import splice
    from common.pt2e import FakeQuantize, MinMaxObserver

    gm = exported(case.model, case.seed)
    nodes = [n for n in gm.graph.nodes if n.op == "placeholder" or "relu" in str(n.target)]
    for i, node in enumerate(nodes):
        splice(gm, node, FakeQuantize(observer=MinMaxObserver, dtype=_int8(), quant_min=-128, quant_max=127), f"fq_{i}")
    gm.recompile()
    return gm


def _int8() -> Any:
    import torch

    return torch.int8


def _fake_quants(model: "fx.GraphModule") -> dict[str, Any]:
    from common.pt2e import FakeQuantizeBase

    return {name: m for name, m in model.named_modules() if isinstance(m, FakeQuantizeBase)}


def _state(module: Any) -> list[bool]:
    return [bool(module.observer_enabled[0]), bool(module.fake_quant_enabled[0])]


def _scales(model: "fx.GraphModule") -> list[float]:
    return [float(m.scale) for m in _fake_quants(model).values()]


def _switch(model: "fx.GraphModule", learns: bool, rounds: bool) -> None:
    for module in _fake_quants(model).values():
        module.enable_observer(learns)
        module.enable_fake_quant(rounds)


def _output(model: Any, x: Any) -> Any:
    import torch

    with torch.no_grad():
        return model(x)
