"""Values as they pass one place of a net, observers to choose from, and the quantizer with plain min and max."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from common.pt2e import XNNPACKQuantizer

INT8 = (-128, 127)
KINDS = ("glitch", "light", "relu", "settles", "late", "channels")
"""What happens at the place: see `place`."""
FAR = 60.0
"""A value far outside, in standard deviations of the others."""


def place(kind: str, seed: int, size: float = 1.0) -> "tuple[list[torch.Tensor], torch.Tensor]":
    """Return calibration batches and one tensor of later use, all float32 and of shape (n, 6, h, w).

    glitch: the first batch holds one value far outside, and such a value never comes again. light: the same batches,
    but in later use there is such a value too. relu: as glitch, behind a relu. settles: the first batch is four times
    as wide as all that follow. late: few values, the glitch in a late batch, and much later use. channels: the
    channels have very different sizes, and there is a late glitch.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    small = kind in ("late", "channels")
    shape = (4, 6, 20, 20) if small else (4, 6, 48, 48)
    batches = [torch.randn(shape, generator=generator) for _ in range(24 if kind == "settles" else 6)]
    fresh = torch.randn((16, 6, 64, 64) if kind == "late" else shape, generator=generator)
    if kind == "channels":
        sizes = 10 ** torch.linspace(-1.2, 0.3, shape[1]).reshape(1, -1, 1, 1)
        batches, fresh = [b * sizes for b in batches], fresh * sizes
    if kind == "relu":
        batches, fresh = [b.relu() for b in batches], fresh.relu()
    if kind == "settles":
        batches[0] *= 4
    else:
        batches[4 if small else 0][1, 0, 3, 5] = FAR / 3 if kind == "channels" else FAR
    if kind == "glitch":
        fresh[0, 2, 4, 4] = FAR / 8
    if kind == "light":
        fresh[2, 1, 7, 8] = FAR
    return [b * size for b in batches], fresh * size


def observers(*, per_channel: bool) -> "dict[str, Callable[[], Any]]":
    """Return name → function that makes a new int8 observer. The one per channel has a scale for each channel."""
    import torch

    from common.pt2e import HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver, PerChannelMinMaxObserver

    int8: dict[str, Any] = {"dtype": torch.int8, "quant_min": INT8[0], "quant_max": INT8[1], "eps": 2**-12}
    one: dict[str, Any] = int8 | {"qscheme": torch.per_tensor_affine}
    found: dict[str, Callable[[], Any]] = {
        "histogram": lambda: HistogramObserver(**one),
        "min and max": lambda: MinMaxObserver(**one),
        "moving average": lambda: MovingAverageMinMaxObserver(averaging_constant=0.1, **one),
    }
    if per_channel:
        each = int8 | {"qscheme": torch.per_channel_affine, "ch_axis": 1}
        found = {"per channel": lambda: PerChannelMinMaxObserver(**each)} | found
    return found


def on_grid(x: "torch.Tensor", scale: "torch.Tensor", zero_point: "torch.Tensor") -> "torch.Tensor":
    """Quantize and dequantize with int8; more than one scale means one for each channel, in dimension 1."""
    import torch

    if scale.numel() > 1:
        return torch.fake_quantize_per_channel_affine(x, scale, zero_point.int(), 1, *INT8)
    return torch.fake_quantize_per_tensor_affine(x, float(scale), int(zero_point), *INT8)


def minmax_quantizer() -> "XNNPACKQuantizer":
    """Return the XNNPACKQuantizer with a MinMaxObserver at every activation.

    Its ranges do not depend on how the pictures are cut into batches, as those of a HistogramObserver do.
    """
    from dataclasses import replace

    from common.pt2e import MinMaxObserver, XNNPACKQuantizer, get_xnnpack_quantizer

    config = get_xnnpack_quantizer()[0].global_config
    if config is None or config.input_activation is None:
        raise TypeError("this XNNPACKQuantizer has no global config")
    observer = MinMaxObserver.with_args(eps=2**-12)
    activation = replace(config.input_activation, observer_or_fake_quant_ctr=observer)
    return XNNPACKQuantizer().set_global(replace(config, input_activation=activation, output_activation=activation))
