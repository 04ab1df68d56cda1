"""Integers, scales and what is right for them: shared by the exercises of this lesson."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case

if TYPE_CHECKING:
    import torch


def generator(case: Case) -> "torch.Generator":
    """Random numbers that only this case has."""
    import torch

    return torch.Generator().manual_seed(case.seed)


def integers(case_generator: "torch.Generator", lo: int, hi: int, *shape: int) -> "torch.Tensor":
    """An int8 tensor with values lo…hi, both included."""
    import torch

    return torch.randint(lo, hi + 1, shape, generator=case_generator, dtype=torch.int8)


def weight_scale(case: Case, case_generator: "torch.Generator", channels: int) -> Any:
    """The scale of a weight: a float, or with `per_channel` a tensor with one scale for each channel."""
    import torch

    if not case.get("per_channel"):
        return case.s_w
    return case.s_w * (0.5 + torch.rand(channels, generator=case_generator))


def wide(scale: Any) -> "torch.Tensor":
    """A scale, or several, as float64."""
    import torch

    return torch.as_tensor(scale).to(torch.float64) if isinstance(scale, torch.Tensor) else torch.tensor(scale).double()


def wrapped(values: "torch.Tensor", bits: int) -> "torch.Tensor":
    """What is left of integers in a type of so many bits, without clamp."""
    half = 1 << (bits - 1)
    return (values + half) % (2 * half) - half


@dataclass(frozen=True)
class Results:
    """A recorded tensor of integers beside the exact real results, which nobody has rounded or clamped yet."""

    said: "torch.Tensor"
    real: "torch.Tensor"

    @property
    def inside(self) -> "torch.Tensor":
        """Where the exact result lies within -128…127, and not at the edge."""
        return (self.real > -126.5) & (self.real < 125.5)

    def beyond(self, margin: float) -> "torch.Tensor":
        """Where the exact result is so far outside that rounding cannot bring it back: here only a limit is right."""
        return (self.real >= 127.5 + margin) | (self.real <= -128.5 - margin)

    @property
    def error(self) -> "torch.Tensor":
        """How far each result is from the exact one, clamped to -128…127."""
        return self.said - self.real.clamp(-128, 127)

    def agreement(self, candidate: "torch.Tensor", where: "torch.Tensor | None" = None) -> float:
        """The share of results that a mistake explains, whether or not its values then wrap around in int8."""
        import torch

        chosen = torch.ones_like(self.said, dtype=torch.bool) if where is None else where
        if not bool(chosen.any()):
            return 0.0
        near = (self.said - candidate).abs() <= 1.001
        around = (self.said - wrapped(candidate.round().long(), 8)).abs() <= 1.001
        return float((near | around)[chosen].double().mean())

    def likeliest(self, known: "list[tuple[str, torch.Tensor]]", where: "torch.Tensor | None" = None) -> str | None:
        """The mistake that explains most, if it explains 95 of 100; among equals the first."""
        shares = [(self.agreement(values, where), kind) for kind, values in known]
        share, kind = max(shares, key=lambda entry: entry[0])
        return kind if share >= 0.95 else None


def as_results(said: "torch.Tensor", real: "torch.Tensor") -> Results | None:
    """The two side by side; None where the shape is another one or the values are no finite numbers."""
    import torch

    if said.shape != real.shape or said.dtype.is_complex or said.dtype == torch.bool:
        return None
    values = said.double()
    return Results(values, real) if bool(torch.isfinite(values).all()) else None
