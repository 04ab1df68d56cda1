"""One place for the names of PT2E quantization, wherever this torchao version keeps them."""

import torch
from torch import nn
from torchao.quantization.pt2e import (
    FakeQuantize,
    FakeQuantizeBase,
    FusedMovingAvgObsFakeQuantize,
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    ObserverBase,
    PerChannelMinMaxObserver,
    disable_fake_quant,
    disable_observer,
    enable_fake_quant,
    enable_observer,
    move_exported_model_to_eval,
    move_exported_model_to_train,
)
from torchao.quantization.pt2e.lowering import lower_pt2e_quantized_to_x86
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e
from torchao.quantization.pt2e.quantizer import (
    ComposableQuantizer,
    DerivedQuantizationSpec,
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
)
from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
    X86InductorQuantizer,
    get_default_x86_inductor_quantization_config,
)
from torchao.testing.pt2e._xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config

from common.env import quiet

ANNOTATION_KEY = "quantization_annotation"
"""The key of `node.meta` under which prepare_pt2e looks for a QuantizationAnnotation (torchao 0.18)."""

XNNPACK_SOURCE = "torchao.testing"
"""ExecuTorch ships an XNNPACKQuantizer too, and it shares qparams differently: say which one made a graph."""

__all__ = [
    "ANNOTATION_KEY",
    "XNNPACK_SOURCE",
    "ComposableQuantizer",
    "DerivedQuantizationSpec",
    "FakeQuantize",
    "FakeQuantizeBase",
    "FixedQParamsQuantizationSpec",
    "FusedMovingAvgObsFakeQuantize",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "QuantizationAnnotation",
    "QuantizationSpec",
    "Quantizer",
    "SharedQuantizationSpec",
    "X86InductorQuantizer",
    "XNNPACKQuantizer",
    "convert_pt2e",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
    "export_module",
    "get_x86_quantizer",
    "get_xnnpack_quantizer",
    "lower_pt2e_quantized_to_x86",
    "move_exported_model_to_eval",
    "move_exported_model_to_train",
    "prepare_pt2e",
    "prepare_qat_pt2e",
    "quiet",
]


def export_module(model: nn.Module, example: tuple[torch.Tensor, ...]) -> torch.fx.GraphModule:
    """Export `model` to a graph of ATen ops whose first dimension, the batch, stays free.

    `example` is a tuple of example inputs, each with batch ≥ 2 (size 1 would be taken for a constant).
    """
    if any(x.shape[0] < 2 for x in example):
        raise ValueError("export_module needs example inputs with batch 2 or more: size 1 would become a constant")
    dynamic = tuple({0: torch.export.Dim.AUTO} for _ in example)
    return torch.export.export(model, example, dynamic_shapes=dynamic).module()


def get_xnnpack_quantizer(*, is_per_channel: bool = True, is_qat: bool = False) -> tuple[XNNPACKQuantizer, str]:
    """Return an XNNPACKQuantizer with the symmetric int8 config set globally, and where the class came from."""
    config = get_symmetric_quantization_config(is_per_channel=is_per_channel, is_qat=is_qat)
    return XNNPACKQuantizer().set_global(config), XNNPACK_SOURCE


def get_x86_quantizer() -> X86InductorQuantizer:
    """Return an X86InductorQuantizer with its default config set globally: uint8 activations, per-channel int8 weights."""
    return X86InductorQuantizer().set_global(get_default_x86_inductor_quantization_config())
