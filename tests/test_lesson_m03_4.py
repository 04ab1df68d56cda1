"""The facts that lesson m03_4 shows, on the machine that runs the tests."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from common.checks.m03_4 import _places as pl
from common.checks.m03_4.SharedPool import _reference
from common.env import quiet
from common.graph_utils import observer_nodes
from common.models import example_inputs, get_model
from common.pt2e import (
    ANNOTATION_KEY,
    MinMaxObserver,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
    export_module,
    prepare_pt2e,
)

quiet()

Write = Callable[[dict[str, Any]], None]


def _spec(**changes: Any) -> QuantizationSpec:
    settings = {"dtype": torch.int8, "quant_min": -128, "quant_max": 127, "qscheme": torch.per_tensor_affine}
    return QuantizationSpec(**({"observer_or_fake_quant_ctr": MinMaxObserver} | settings | changes))


SPEC = _spec()


class ByHand(Quantizer):
    def __init__(self, write: Write) -> None:
        self.write = write

    def annotate(self, model: torch.fx.GraphModule) -> None:
        self.write({n.name: n for n in model.graph.nodes})

    def validate(self, model: torch.fx.GraphModule) -> None:
        return None


def _export(name: str) -> torch.fx.GraphModule:
    return export_module(get_model(name).eval(), example_inputs())


def _objects(gm: torch.fx.GraphModule) -> dict[str, int]:
    return {str(node.args[0]): id(observer) for node, observer in observer_nodes(gm)}


def _cat(inputs: Sequence[Any], output: Any, *, layers: bool) -> Write:
    """Label the node cat of cat_pool; each label is a spec or a function of (cat, first, second)."""

    def write(nodes: dict[str, Any]) -> None:
        cat, a, b = nodes["cat"], nodes["conv2d"], nodes["conv2d_1"]
        if layers:
            for conv in (a, b):
                conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=SPEC)
        specs: list[Any] = [label(cat, a, b) if callable(label) else label for label in (*inputs, output)]
        cat.meta[ANNOTATION_KEY] = QuantizationAnnotation({a: specs[0], b: specs[1]}, specs[2])

    return write


def _with_first(cat: Any, a: Any, b: Any) -> SharedQuantizationSpec:
    return SharedQuantizationSpec((a, cat))


def _with_output(cat: Any, a: Any, b: Any) -> SharedQuantizationSpec:
    return SharedQuantizationSpec(cat)


def _with_producer(cat: Any, a: Any, b: Any) -> SharedQuantizationSpec:
    return SharedQuantizationSpec(a)


@pytest.mark.parametrize("layers", [False, True])
def test_equal_specs_on_different_tensors_stay_apart(layers: bool) -> None:
    objects = _objects(prepare_pt2e(_export("cat_pool"), ByHand(_cat((SPEC, SPEC), SPEC, layers=layers))))
    assert len(set(objects.values())) == len(objects) == 3


@pytest.mark.parametrize("layers", [False, True])
def test_sharing_with_the_first_edge_makes_one_object(layers: bool) -> None:
    write = _cat((SPEC, _with_first), _with_first, layers=layers)
    objects = _objects(prepare_pt2e(_export("cat_pool"), ByHand(write)))
    assert sorted(objects) == ["cat", "conv2d", "conv2d_1"] and len(set(objects.values())) == 1


@pytest.mark.parametrize("layers", [False, True])
def test_a_circle_of_shared_labels_is_a_recursion_error(layers: bool) -> None:
    with pytest.raises(RecursionError):
        prepare_pt2e(_export("cat_pool"), ByHand(_cat((_with_output, _with_output), _with_first, layers=layers)))


def test_a_shared_label_points_to_a_place_that_comes_earlier() -> None:
    with pytest.raises(AssertionError, match="make sure only refer to edge or node"):
        prepare_pt2e(_export("cat_pool"), ByHand(_cat((_with_output, _with_output), SPEC, layers=False)))
    with pytest.raises(KeyError):
        prepare_pt2e(_export("cat_pool"), ByHand(_cat((_with_producer, _with_producer), SPEC, layers=False)))


def test_sharing_goes_on_from_place_to_place() -> None:
    graph = _reference("doubled", 0, "layers", "int8", ("cat",))
    reads = pl.reads(graph)
    places = [("x", "conv2d"), ("relu", "cat"), ("cat", "cat_1"), ("x", "cat_1"), ("cat_1", "conv2d_1")]
    assert len({reads[place] for place in places}) == 1
    assert reads["conv_a_weight", "conv2d"] != reads["x", "conv2d"]
