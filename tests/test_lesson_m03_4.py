"""The facts that lesson m03_4 shows, on the machine that runs the tests."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from common.checks.m03_4 import _places as pl
from common.checks.m03_4.SharedPool import _reference
from common.env import quiet
from common.graph_utils import observer_nodes, qdq_nodes, short
from common.models import example_inputs, get_model
from common.pt2e import (
    ANNOTATION_KEY,
    DerivedQuantizationSpec,
    FixedQParamsQuantizationSpec,
    MinMaxObserver,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
    convert_pt2e,
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


def test_settings_at_the_output_work_by_luck() -> None:
    """Where the inputs of cat are labelled already, their group has an observer in time."""
    write = _cat((_with_output, _with_output), SPEC, layers=True)
    assert len(set(_objects(prepare_pt2e(_export("cat_pool"), ByHand(write))).values())) == 1


def test_a_tensor_that_is_read_twice_can_share_with_itself() -> None:
    def write(nodes: dict[str, Any]) -> None:
        cat, relu = nodes["cat"], nodes["relu"]
        share = SharedQuantizationSpec((relu, cat))
        cat.meta[ANNOTATION_KEY] = QuantizationAnnotation(dict.fromkeys(cat.args[0], share), share)

    with pytest.raises(RecursionError):
        prepare_pt2e(_export("doubled"), ByHand(write))


def test_fixed_qparams_do_not_look_at_data() -> None:
    fixed = FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)

    def write(nodes: dict[str, Any]) -> None:
        nodes["sigmoid"].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=fixed)

    prepared = prepare_pt2e(_export("upscale"), ByHand(write))
    prepared(100 * example_inputs()[0])
    ((_node, observer),) = observer_nodes(prepared)
    assert type(observer).__name__ == "FixedQParamsObserver"
    assert [float(v) for v in observer.calculate_qparams()] == [1 / 256, 0]
    assert len(qdq_nodes(convert_pt2e(prepared))) == 2


def _derived(*, bias_first: bool) -> Write:
    def product(observers: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        (data, _), (weight, _) = (observer.calculate_qparams() for observer in observers)
        return data * weight, torch.zeros_like(data * weight, dtype=torch.int32)

    def write(nodes: dict[str, Any]) -> None:
        conv = nodes["conv2d"]
        data, weight, bias = conv.args[:3]
        limits = torch.iinfo(torch.int32)
        places = [(data, conv), (weight, conv)]
        scheme = torch.per_channel_symmetric
        derived = DerivedQuantizationSpec(places, product, torch.int32, limits.min, limits.max, scheme, 0)
        labels = {data: SPEC, weight: pl.weight_spec()}
        labels = {bias: derived, **labels} if bias_first else {**labels, bias: derived}
        conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels)

    return write


def test_a_derived_label_stands_behind_its_sources() -> None:
    with pytest.raises(KeyError):
        prepare_pt2e(_export("conv_relu"), ByHand(_derived(bias_first=True)))


def test_a_derived_bias_is_int32_in_steps_of_the_product() -> None:
    prepared = prepare_pt2e(_export("conv_relu"), ByHand(_derived(bias_first=False)))
    prepared(*example_inputs())
    scales = {str(node.args[0]): observer.calculate_qparams()[0] for node, observer in observer_nodes(prepared)}
    assert torch.equal(scales["conv_bias"], scales["x"] * scales["conv_weight"])
    converted = convert_pt2e(prepared)
    (conv,) = (n for n in converted.graph.nodes if short(n.target) == "conv2d")
    stored = getattr(converted, conv.args[2].args[0].target)
    bias = get_model("conv_relu").get_parameter("conv.bias").detach()
    assert stored.dtype == torch.int32
    assert (stored * scales["conv_bias"] - bias).abs().max() <= scales["conv_bias"].max()


def test_a_custom_op_is_labelled_like_any_other() -> None:
    @torch.library.custom_op("m03_4_test::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @same.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.m03_4_test.same(torch.relu(x))

    def write(nodes: dict[str, Any]) -> None:
        node, relu = nodes["same"], nodes["relu"]
        share = SharedQuantizationSpec((relu, node))
        node.meta[ANNOTATION_KEY] = QuantizationAnnotation({relu: SPEC}, share)

    prepared = prepare_pt2e(export_module(Net().eval(), example_inputs()), ByHand(write))
    assert len(observer_nodes(prepared)) == 2 and len(set(_objects(prepared).values())) == 1
