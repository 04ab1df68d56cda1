"""A prediction: who sees a change of a graph, and when."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("old", "new")
MOMENTS = ("inserted only", "before recompile", "Interpreter", "copy", "after recompile")
CHOICE = " or ".join(f'"{word}"' for word in WORDS)


class WhoSeesIt(Exercise):
    """who_sees_it(): predict which of five calls already give the output of the changed graph."""

    id = "m00_4.who_sees_it"
    kind = "prediction"
    minutes = 5
    must_return = True
    parameters = ()
    not_allowed = ("Interpreter", "recompile", "deepcopy")
    criteria = dict.fromkeys(MOMENTS, 0)
    hints = (
        "`gm(x)` runs Python code that was generated from the graph. When was it generated? And who looks at the graph "
        "itself?",
        "An Interpreter walks over the nodes. And a copy of a GraphModule gets code of its own, made from its graph.",
    )
    misconceptions = {
        "nobody-reads-it": "The new node runs, but the output still reads the relu.",
        "code-is-the-graph": "`gm(x)` does not look at the graph. It runs the code that was generated at the last "
        "`recompile()`.",
        "interpreter-runs-the-code": "An Interpreter does not run the generated code. It walks over the nodes as they "
        "are now (lesson m00_3).",
        "copy-of-the-code": "`copy.deepcopy` of a GraphModule copies the graph and generates code from it: the copy is "
        "recompiled without being asked.",
        "recompile": "`recompile()` generates the code from the graph as it is now.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": "array", "maxItems": 20, "items": {}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        ev.fact("answer", list(predicted) if isinstance(predicted, (list, tuple)) else [])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        answer, truth = evidence.facts["answer"], _truth(case)
        if len(answer) != len(truth) or any(a not in WORDS for a in answer):
            yield Finding(
                None, False, "form", f"The prediction is a list of {len(truth)} words, each of them {CHOICE}."
            )
            return
        for moment, said, true, kind in zip(MOMENTS, answer, truth, self.misconceptions, strict=True):
            if said == true:
                yield self.passed(moment)
            else:
                yield self.failed(moment, kind, f"At the moment “{moment}” the output is the other one.")


def _truth(case: Case) -> list[str]:
    """Do it, and see."""
    import copy

    import torch
    from torch import fx

    from common.models import example_inputs

    gm, (x,) = exported("conv_relu", case.seed), example_inputs(seed=case.seed + 1)
    relu = next(n for n in gm.graph.nodes if n.name == "relu")
    (consumer,) = relu.users
    seen = []
    with torch.no_grad():
        old = gm(x)
        with gm.graph.inserting_after(relu):
            neg = gm.graph.call_function(torch.ops.aten.neg.default, (relu,))
        gm.recompile()
        seen.append(gm(x))
        consumer.replace_input_with(relu, neg)
        seen += [gm(x), fx.Interpreter(gm).run(x), copy.deepcopy(gm)(x)]
        gm.recompile()
        seen.append(gm(x))
    return [WORDS[0] if torch.equal(y, old) else WORDS[1] for y in seen]
