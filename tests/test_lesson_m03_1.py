"""The facts that lesson m03_1 shows, on the machine that runs the tests."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch

from common.env import quiet
from common.graph_utils import observer_nodes, qdq_nodes, short
from common.models import example_inputs, get_model
from common.pt2e import (
    ANNOTATION_KEY,
    FixedQParamsQuantizationSpec,
    HistogramObserver,
    MinMaxObserver,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    convert_pt2e,
    export_module,
    get_xnnpack_quantizer,
    prepare_pt2e,
)

quiet()

Write = Callable[[dict[str, Any]], None]


def _spec(**changes: Any) -> QuantizationSpec:
    settings = {"dtype": torch.int8, "quant_min": -128, "quant_max": 127, "qscheme": torch.per_tensor_affine}
    return QuantizationSpec(**({"observer_or_fake_quant_ctr": MinMaxObserver} | settings | changes))


def _fixed(scale: float = 0.1, zero_point: int = 0) -> FixedQParamsQuantizationSpec:
    return FixedQParamsQuantizationSpec(torch.int8, scale, zero_point, -128, 127, torch.per_tensor_affine)


SPEC = _spec()


class ByHand(Quantizer):
    def __init__(self, write: Write) -> None:
        self.write = write
        self.seen: list[tuple[str, int, int, int]] = []

    def look(self, moment: str, model: torch.fx.GraphModule) -> None:
        batch_norms = sum(short(n.target) == "batch_norm" for n in model.graph.nodes)
        labels = sum(ANNOTATION_KEY in n.meta for n in model.graph.nodes)
        self.seen.append((moment, batch_norms, labels, len(observer_nodes(model))))

    def transform_for_annotation(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        self.look("transform", model)
        return model

    def annotate(self, model: torch.fx.GraphModule) -> None:  # what it returns is not looked at
        self.look("annotate", model)
        self.write({n.name: n for n in model.graph.nodes})

    def validate(self, model: torch.fx.GraphModule) -> None:
        self.look("validate", model)

    def prepare_obs_or_fq_callback(self, model: torch.fx.GraphModule, edge_or_node_to_obs_or_fq: Any) -> None:
        self.look("callback", model)


def _labels(edges: dict[tuple[str, str], Any] | None = None, outputs: dict[str, Any] | None = None) -> Write:
    def write(nodes: dict[str, Any]) -> None:
        for (producer, consumer), spec in (edges or {}).items():
            note = nodes[consumer].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            note.input_qspec_map[nodes[producer]] = spec
        for name, spec in (outputs or {}).items():
            nodes[name].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation()).output_qspec = spec

    return write


def _export(name: str) -> torch.fx.GraphModule:
    return export_module(get_model(name).eval(), example_inputs())


def _prepare(gm: torch.fx.GraphModule, **labels: Any) -> torch.fx.GraphModule:
    return prepare_pt2e(copy.deepcopy(gm), ByHand(_labels(**labels)))


def _places(gm: torch.fx.GraphModule) -> list[str]:
    return sorted(node.args[0].name for node, _observer in observer_nodes(gm))


def _reads(gm: torch.fx.GraphModule, consumer: str) -> str:
    return next(n for n in gm.graph.nodes if n.name == consumer).args[0].name


@pytest.fixture(scope="module")
def conv_relu() -> torch.fx.GraphModule:
    return _export("conv_relu")


@pytest.fixture(scope="module")
def cat_pool() -> torch.fx.GraphModule:
    return _export("cat_pool")


def test_labels_change_no_graph(conv_relu: torch.fx.GraphModule) -> None:
    gm = copy.deepcopy(conv_relu)
    code, nodes = gm.code, [n.name for n in gm.graph.nodes]
    _labels({("x", "conv2d"): SPEC}, {"relu": SPEC})({n.name: n for n in gm.graph.nodes})
    assert observer_nodes(gm) == []
    assert (gm.code, [n.name for n in gm.graph.nodes]) == (code, nodes)


def test_one_observer_for_each_label(conv_relu: torch.fx.GraphModule) -> None:
    x, weight = ("x", "conv2d"), ("conv_weight", "conv2d")
    assert _places(_prepare(conv_relu)) == []
    assert _places(_prepare(conv_relu, edges={x: SPEC})) == ["x"]
    assert _places(_prepare(conv_relu, edges={x: SPEC, weight: SPEC})) == ["conv_weight", "x"]
    three = _prepare(conv_relu, edges={x: SPEC, weight: SPEC}, outputs={"relu": SPEC})
    by_xnnpack = prepare_pt2e(copy.deepcopy(conv_relu), get_xnnpack_quantizer()[0])
    assert _places(three) == _places(by_xnnpack) == ["conv_weight", "relu", "x"]


def test_order_of_prepare() -> None:
    quantizer, gm = ByHand(_labels({("x", "conv2d"): SPEC}, {"relu": SPEC})), _export("tiny")
    quantizer.look("before", gm)
    quantizer.look("after", prepare_pt2e(gm, quantizer))
    assert quantizer.seen == [
        ("before", 4, 0, 0),
        ("transform", 0, 0, 0),
        ("annotate", 0, 0, 0),
        ("validate", 0, 2, 0),
        ("callback", 0, 2, 0),
        ("after", 0, 2, 2),
    ]


def test_a_copy_loses_edge_labels(conv_relu: torch.fx.GraphModule) -> None:
    labelled = copy.deepcopy(conv_relu)
    _labels({("x", "conv2d"): SPEC}, {"relu": SPEC})({n.name: n for n in labelled.graph.nodes})
    duplicate = copy.deepcopy(labelled)
    assert _places(prepare_pt2e(duplicate, ByHand(_labels()))) == ["relu"]
    assert _places(prepare_pt2e(labelled, ByHand(_labels()))) == ["relu", "x"]


def test_edge_reaches_one_consumer_and_output_all(cat_pool: torch.fx.GraphModule) -> None:
    edge = _prepare(cat_pool, edges={("x", "conv2d"): SPEC})
    output = _prepare(cat_pool, outputs={"x": SPEC})
    both = _prepare(cat_pool, edges={("x", "conv2d"): SPEC, ("x", "conv2d_1"): SPEC})
    mixed = _prepare(cat_pool, edges={("x", "conv2d"): SPEC}, outputs={"x": SPEC})
    observer = "activation_post_process_0"
    assert [_reads(edge, c) for c in ("conv2d", "conv2d_1")] == [observer, "x"]
    for gm in (output, both, mixed):
        assert [_reads(gm, c) for c in ("conv2d", "conv2d_1")] == [observer, observer]
        assert len(observer_nodes(gm)) == 1


PAIRS = {
    "nothing": (SPEC, _spec(), 1),
    "observer": (SPEC, _spec(observer_or_fake_quant_ctr=HistogramObserver), 1),
    "eps": (SPEC, _spec(observer_or_fake_quant_ctr=MinMaxObserver.with_args(eps=0.5)), 1),
    "quant_min": (SPEC, _spec(quant_min=-127), 2),
    "quant_max": (SPEC, _spec(quant_max=126), 2),
    "dtype": (SPEC, _spec(dtype=torch.int16), 2),
    "qscheme": (SPEC, _spec(qscheme=torch.per_tensor_symmetric), 2),
    "ch_axis": (SPEC, _spec(ch_axis=1), 2),
    "is_dynamic": (SPEC, _spec(is_dynamic=True), 2),
    "scale": (_fixed(), _fixed(scale=0.2), 2),
    "zero_point": (_fixed(), _fixed(zero_point=3), 2),
}


@pytest.mark.parametrize("differ_in", PAIRS)
def test_which_specs_merge(cat_pool: torch.fx.GraphModule, differ_in: str) -> None:
    a, b, observers = PAIRS[differ_in]
    assert (a == b) is (differ_in == "nothing")
    chained = _prepare(cat_pool, edges={("x", "conv2d"): b}, outputs={"x": a})
    parallel = _prepare(cat_pool, edges={("x", "conv2d"): a, ("x", "conv2d_1"): b})
    assert len(observer_nodes(chained)) == len(observer_nodes(parallel)) == observers
    if observers == 2:
        second = _reads(chained, "conv2d")
        assert _reads(chained, second) == _reads(chained, "conv2d_1")
        assert {_reads(parallel, _reads(parallel, c)) for c in ("conv2d", "conv2d_1")} == {"x"}


def test_first_label_in_the_graph_chooses_the_observer(cat_pool: torch.fx.GraphModule) -> None:
    histogram = _spec(observer_or_fake_quant_ctr=HistogramObserver)
    into = ("x", "conv2d"), ("x", "conv2d_1")

    def kinds(**labels: Any) -> list[str]:
        return [type(observer).__name__ for _node, observer in observer_nodes(_prepare(cat_pool, **labels))]

    assert kinds(edges={into[0]: histogram}, outputs={"x": SPEC}) == ["MinMaxObserver"]
    assert kinds(edges={into[0]: SPEC}, outputs={"x": histogram}) == ["HistogramObserver"]
    assert kinds(edges={into[1]: histogram, into[0]: SPEC}) == ["MinMaxObserver"]
    assert kinds(edges={into[0]: histogram, into[1]: SPEC}) == ["HistogramObserver"]


def test_chained_observers_quantize_twice(cat_pool: torch.fx.GraphModule) -> None:
    chained = _prepare(cat_pool, edges={("x", "conv2d"): _spec(quant_min=-127)}, outputs={"x": SPEC})
    chained(*example_inputs())
    converted = convert_pt2e(chained)
    node, names = next(n for n in converted.graph.nodes if n.name == "conv2d").args[0], []
    while node in qdq_nodes(converted):
        names.append(short(node.target).split("_")[0])
        node = node.args[0]
    assert names == ["dequantize", "quantize"] * 2


def test_one_key_for_both_places_of_a_consumer() -> None:
    prepared = _prepare(_export("twice_used"), edges={("relu", "add"): SPEC})
    add = next(n for n in prepared.graph.nodes if n.name == "add")
    assert [a.name for a in add.args] == ["activation_post_process_0"] * 2
