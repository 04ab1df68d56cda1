"""Let a quantizer leave out all modules of one type, and nothing else."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.checks.m03_1._labels import Edges, observed, observed_in, observers_in
from common.checks.m03_2._labelled import prepared, quantizer_of
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts


class LeaveOut(Exercise):
    """leave_out(quantizer, module_type): keep all modules of one type in float, and quantize the rest as before."""

    id = "m03_2.leave_out"
    kind = "practice"
    minutes = 10
    criteria = {"left out": 2, "rest": 2}
    must_return = True
    parameters = ("quantizer", "module_type")
    hints = (
        "Look at the source of `_annotate_for_static_quantization_config` above: which nodes does the last round leave "
        "alone?",
        "The last round, with the global config, skips all modules that have an entry under their name or their type, "
        "whatever the entry is. What happens in the first rounds when the entry is None?",
        "One of the three `set_…` methods takes a type of module, and accepts None.",
    )
    misconceptions = {
        "operator-type": "`set_operator_type` writes down its config, but this quantizer's `annotate` never reads it.",
        "module-name-none": "`set_module_name` refuses None in this version, and a type is not a name.",
        "all-left-out": "Without the global config nothing is labelled at all.",
        "opposite": "A config for a type says *how* to quantize it. For a convolution it happens to label nothing; a linear "
        "is quantized all the same.",
        "fixed-type": "The type to leave out is given: it is not always the same one.",
        "module-name": "`set_module_name` takes the name of one module, such as `conv_a`. A type is another thing, and there "
        "can be many modules of it.",
        "unchanged": "The quantizer does what it did before. Something has to be written down in it for this type.",
        "type-as-text": "`nn.Conv2d` is a class. The methods take the class itself, and not its name.",
        "relu-left": "A relu that is computed in one step with such a module is left out with it: its output is then an "
        "ordinary float value.",
        "own-quantizer": "The quantizer is given, with its settings. A new one has others.",
    }
    public_cases = (
        Case(model="residual", module_type="Conv2d"),
        Case(model="pool_chain", module_type="Linear", per_channel=False),
    )
    facts = {
        "is_quantizer": {"type": "boolean"},
        "by_operator": {"type": "boolean"},
        "by_name": {"type": "boolean"},
        "by_type": {"type": "object", "maxProperties": 50, "additionalProperties": {"type": "boolean"}},
        "after": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import nn

        from common.pt2e import Quantizer, prepare_pt2e

        returned = ev.call(answer, quantizer_of(case), getattr(nn, case.module_type))
        ev.fact("is_quantizer", isinstance(returned, Quantizer))
        # what was written down in the quantizer: types with a config (True) or None (False)
        by_type = getattr(returned, "module_type_config", {})
        ev.fact("by_operator", bool(getattr(returned, "operator_type_config", {})))
        ev.fact("by_name", bool(getattr(returned, "module_name_config", {})))
        ev.fact("by_type", {getattr(k, "__name__", str(k))[:100]: v is not None for k, v in list(by_type.items())[:50]})
        if isinstance(returned, Quantizer):
            with ev.student("prepare_pt2e was called with the returned quantizer"):
                ev.graph("after", prepare_pt2e(exported(case.model, case.seed), returned))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if exception.get("type") == "AssertionError" and "None is not supported" in exception.get("message", ""):
            symptom = "`set_module_name` has refused the config None."
            for criterion in self.criteria:
                yield self.failed(criterion, "module-name-none", symptom)
        elif "'str' object has no attribute '__module__'" in exception.get("message", ""):
            yield self.failed("left out", "type-as-text", "A name was written down where a class is expected.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_quantizer"]:
            yield Finding(None, False, "form", "What is returned is not a quantizer.")
            return
        after = evidence.graph("after")
        wanted_graph = prepared(Case(**{**case, "without": case.module_type}))
        whole, wanted, got = observed(prepared(case)), observed(wanted_graph), observed_in(after)
        extra, missing = got - wanted, wanted - got
        if got and not extra:
            yield self.passed("left out")
        else:
            symptom = "A value is observed because of a module that was to be left out."
            if not got:
                symptom = "Nothing is observed any more."
            elif got == whole:
                symptom = "The same values are observed as before."
            detail = ", ".join(f"{a} → {b}" for a, b in sorted(extra)[:6])
            kind = self._kind(case, evidence, bool(got))
            if kind is None and got == whole:
                kind = "module-name" if evidence.facts["by_name"] else "unchanged"
            elif kind is None and all(a.startswith("relu") for a, _b in extra):
                kind = "relu-left"
            yield self.failed("left out", kind, symptom, detail=detail, graph="after")
        yield self._rest(case, evidence, (got, whole, missing), wanted_graph)

    def _kind(self, case: Case, evidence: Evidence, some: bool) -> str | None:
        by_type = evidence.facts["by_type"]
        if not some:
            return "all-left-out"
        if by_type.get(case.module_type):
            return "opposite"
        if by_type and case.module_type not in by_type:
            return "fixed-type"
        return "operator-type" if evidence.facts["by_operator"] else None

    def _rest(self, case: Case, evidence: Evidence, edges: tuple[Edges, Edges, Edges], wanted_graph: Any) -> Finding:
        (got, whole, missing), after = edges, evidence.graph("after")
        if missing:
            detail = "missing: " + ", ".join(f"{a} → {b}" for a, b in sorted(missing)[:6])
            symptom = "A value is no longer observed that has nothing to do with it."
            return self.failed("rest", self._kind(case, evidence, bool(got)), symptom, detail=detail)
        if got == whole:
            return self.failed("rest", None, "Nothing was left out, so there is no rest.")
        classes, right = _classes(after), _classes_of(wanted_graph)
        if any(classes.get(name) != kind for name, kind in right.items()):
            return self.failed("rest", "own-quantizer", "The rest is quantized with other settings than before.")
        return self.passed("rest")


def _classes(after: GraphFacts) -> dict[str, str]:
    """Class of the observer behind each observed value."""
    return {
        after.by_name[name].inputs[0]: str(after.modules[after.by_name[name].target]["type"])
        for name in observers_in(after)
    }


def _classes_of(gm: Any) -> dict[str, str]:
    from common.graph_utils import observer_nodes

    return {str(node.args[0]): type(observer).__name__ for node, observer in observer_nodes(gm)}
