"""Biases rounded as integer kernels round them: where the one step between a backend and the Q/DQ graph comes from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

MOST = 8
OPS = ("conv2d", "linear")


class BiasOnGrid(Exercise):
    """bias_on_grid(qdq): a copy of a Q/DQ graph whose biases are whole numbers of input scale times weight scale."""

    id = "m09_1.bias_on_grid"
    kind = "practice"
    minutes = 20
    criteria = {"biases on the grid": 3, "given graph untouched": 1}
    parameters = ("qdq",)
    must_return = True
    not_allowed = ("with_biases_on_grid",)
    hints = (
        "For each conv2d and linear with a bias: `node.args[0]` dequantizes its input, and `node.args[1]` its weight. Both "
        "hold their scale as `args[1]`.",
        "The scale of a weight per channel is a get_attr node: `attrgetter(node.target)(gm)` is its tensor. Per tensor it "
        "is a number.",
        "`bias.copy_((bias / grid).round() * grid)` inside `torch.no_grad()`, with `grid = input_scale * weight_scale`, on "
        "`copy.deepcopy(qdq)`.",
    )
    misconceptions = {
        "weight-scale-only": "The kernel adds up products of two integers, one from the input and one from the weight. One "
        "unit of that sum is worth input scale × weight scale.",
        "input-scale-only": "The kernel adds up products of two integers, one from the input and one from the weight. One "
        "unit of that sum is worth input scale × weight scale.",
        "output-scale": "The bias is added before the sum is brought to the scale of the output. At that place one unit is "
        "worth input scale × weight scale.",
        "one-scale": "With weights per channel each output channel has a weight scale of its own, so each bias has a grid "
        "of its own.",
        "left-as-integers": "An integer kernel keeps the integers. In a Q/DQ graph the conv computes in fp32, so it needs the "
        "numbers that the integers stand for.",
        "not-rounded-to-nearest": "Integers are taken by rounding to the nearest, as everywhere in quantization.",
        "int8": "A bias is no weight: it is kept as int32, so that it does not have to be cut off at 127.",
        "unchanged": "A deep copy alone has the same biases: they must be changed in the graph that is returned. And there are "
        "two ops with a bias, conv2d and linear.",
        "given-changed": "A Q/DQ graph is what all backends are compared with. Change a copy, or nothing is left to compare "
        "with.",
    }
    public_cases = (Case(model="conv_relu"), Case(model="linear_relu", per_channel=False, seed=1))
    facts = {f"bias_{n}": TENSOR for n in range(MOST)} | {f"given_{n}": TENSOR for n in range(MOST)}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = quantized(case)
        changed = ev.call(answer, gm)
        if not isinstance(changed, torch.fx.GraphModule):
            return
        with ev.student("the graph that was returned was run"):
            for n, value in enumerate(_biases(changed, case)):
                ev.tensor(f"bias_{n}", value)
        with ev.student("the given graph was run again"):
            for n, value in enumerate(_biases(gm, case)):
                ev.tensor(f"given_{n}", value)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm = quantized(case)
        places = list(_places(gm))
        if not all(evidence.has(f"bias_{n}") for n in range(len(places))):
            text = "What is returned is not the given graph, a GraphModule, with other biases."
            yield Finding(None, False, "form", text)
            return
        got = [evidence.tensor(f"bias_{n}") for n in range(len(places))]
        if all(_near(g, p["truth"], p["grid"]) for g, p in zip(got, places, strict=True)):
            yield self.passed("biases on the grid")
        else:
            kind, symptom = _why(got, places, _ops(gm))
            yield self.failed("biases on the grid", kind, symptom)
        given = [evidence.tensor(f"given_{n}") if evidence.has(f"given_{n}") else None for n in range(len(places))]
        if all(g is not None and _same(g, p["unchanged"]) for g, p in zip(given, places, strict=True)):
            yield self.passed("given graph untouched")
        else:
            text = "The graph that was given has other biases afterwards."
            yield self.failed("given graph untouched", "given-changed", text)


def _biases(gm: Any, case: Case) -> "Iterator[torch.Tensor]":
    """What each conv2d and linear of a graph reads as its bias, in graph order, while the graph runs."""
    import torch
    from torch import fx

    from common.graph_utils import short
    from common.models import example_inputs

    found: list[torch.Tensor] = []

    class Reading(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            if n.op == "call_function" and short(n.target) in OPS:
                args, kwargs = self.fetch_args_kwargs_from_env(n)
                bias = args[2] if len(args) > 2 else kwargs.get("bias")
                if bias is not None:
                    found.append(bias)
            return super().run_node(n)

    with torch.no_grad():
        Reading(gm).run(*example_inputs(seed=case.seed))
    yield from found[:MOST]


def _places(gm: Any) -> "Iterator[dict[str, torch.Tensor]]":
    """For each bias what is right, its grid, and what wrong ways give."""
    from operator import attrgetter

    import torch

    from common.graph_utils import short

    for node in gm.graph.nodes:
        if node.op != "call_function" or short(node.target) not in OPS or len(node.args) < 3 or node.args[2] is None:
            continue
        bias = attrgetter(str(node.args[2].target))(gm).detach()
        x_scale, w = float(node.args[0].args[1]), node.args[1].args[1]
        w_scale = attrgetter(str(w.target))(gm).detach() if hasattr(w, "target") else torch.tensor(float(w))
        quantize = next((u for u in _behind(node) if short(u.target) == "quantize_per_tensor"), None)
        y_scale = float(quantize.args[1]) if quantize is not None else 1.0
        grid = x_scale * w_scale

        def on(step: Any, value: Any = bias) -> Any:
            return (value / step).round() * step

        yield {
            "truth": on(grid),
            "grid": grid,
            "unchanged": bias,
            "weight-scale-only": on(w_scale),
            "input-scale-only": on(x_scale),
            "output-scale": on(y_scale),
            "one-scale": on(grid.max()),
            "one-scale, first": on(grid.reshape(-1)[0]),
            "one-scale, mean": on(grid.mean()),
            "left-as-integers": (bias / grid).round(),
            "not-rounded-to-nearest": (bias / grid).floor() * grid,
            "not-rounded-to-nearest, trunc": (bias / grid).trunc() * grid,
            "int8": (bias / grid).round().clamp(-128, 127) * grid,
            "int8, narrow": (bias / grid).round().clamp(-127, 127) * grid,
        }


def _behind(node: Any) -> Iterator[Any]:
    for user in node.users:
        yield user
        yield from user.users


def _ops(gm: Any) -> str:
    """The ops with weights in a graph, in words."""
    from common.graph_utils import short

    found = {short(node.target) for node in gm.graph.nodes if node.op == "call_function"}
    return " and ".join(f"{op}s" for op in OPS if op in found)


def _near(got: "torch.Tensor", wanted: "torch.Tensor", grid: "torch.Tensor") -> bool:
    """Within a hundredth of the grid: floating point only."""
    if got.shape != wanted.shape or not got.is_floating_point():
        return False
    return bool(((got.double() - wanted.double()).abs() <= 0.01 * grid.double()).all())


def _same(got: "torch.Tensor", wanted: "torch.Tensor") -> bool:
    return got.shape == wanted.shape and got.dtype == wanted.dtype and bool((got == wanted).all())


def _why(got: "list[torch.Tensor]", places: "list[dict[str, torch.Tensor]]", ops: str) -> tuple[str | None, str]:
    symptoms = {
        "unchanged": f"The biases of the {ops} in the graph that is returned are what they were.",
        "left-as-integers": "The biases are the integers themselves.",
        "weight-scale-only": "The biases are multiples of the weight's scale alone.",
        "input-scale-only": "The biases are multiples of the input's scale alone.",
        "output-scale": "The biases are multiples of the output's scale.",
        "one-scale": "The biases of a layer with weights per channel all have the same grid.",
        "not-rounded-to-nearest": "The biases are on their grid, but not at the nearest place of it.",
        "int8": "Large biases are cut off.",
    }
    for key in places[0] if places else ():
        kind = key.partition(",")[0]
        if kind in symptoms and all(_near(g, p[key], p["grid"]) for g, p in zip(got, places, strict=True)):
            return kind, symptoms[kind]
    return None, "A bias is not the multiple of input scale × weight scale that is nearest to what it was."
