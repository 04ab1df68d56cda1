"""How far a tensor is from a reference, in decibels."""

import math
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch

TOLERANCE = 0.01
"""In dB. Sums in float32 differ from those in float64 by a few millionths, which is less than 0.001 dB."""

PAIRS = ("noisy", "scaled", "close", "equal")


class Sqnr(Exercise):
    """sqnr(ref, out): the signal-to-quantization-noise ratio of `out` against `ref`, in dB."""

    id = "m00_3.sqnr"
    kind = "practice"
    minutes = 10
    criteria = {"decibels": 2, "reference first": 1, "equal tensors": 1}
    must_return = True
    parameters = ("ref", "out")
    not_allowed = ("sqnr", "compare", "compute_sqnr", "compute_error", "SQNR")
    hints = (
        "Two sums over *all* elements: the squares of the reference, and the squares of the difference.",
        "Decibels of a ratio of powers: 10 · log10(ratio). The squares are powers already.",
        "Look at the noise first: where it is 0, return `math.inf`, before anything is divided by it.",
    )
    misconceptions = {
        "half": "10 · log10 is for powers, that is for squares. A ratio of amplitudes (roots of the sums, or norms) needs "
        "20 · log10.",
        "double": "20 · log10 is for amplitudes. The sums of squares are powers already, and need 10 · log10.",
        "natural-log": "Decibels use the logarithm to base 10. `log` without a number is the natural one.",
        "no-log": "A ratio is not yet a number of decibels: 10 · log10 of it is.",
        "per-sample": "The mean over samples of their decibels is not the decibels of the whole: a sample that is nearly "
        "equal, with its very large dB, hides the bad ones. Sum up the squares over everything first.",
        "swapped": "The first argument is the reference. Its power is the signal; the power of the other tensor is not.",
        "mean-removed": "The signal is the sum of the squares of the reference, its mean included. A variance takes the "
        "mean away.",
        "peak": "SQNR compares powers. With the largest value in the numerator it would be another measure (PSNR).",
        "not-the-difference": "Noise is what `out` has too much or too little: the difference, not `out` itself.",
        "equal-tensors": "Where nothing differs, the noise is 0, and no division has a result. The answer of this "
        "exercise is then infinity: nothing could be closer.",
        "upside-down": "Signal by noise: a large SQNR is good. The other way round, every number of decibels has the other sign.",
        "nearly-equal": "`allclose` takes small differences for none. Tensors that differ in the last digits have a large "
        "SQNR, but no infinite one: only equal tensors have no noise.",
        "form": "The result is a number: a float, or a tensor with one element. How it is printed is another matter.",
        "capped": "A small number that is added to the noise, so that nothing is divided by 0, makes a finite number out "
        "of a perfect match, and changes all large results.",
    }
    public_cases = (
        Case(shape=[8, 5], noise=0.1, gain=0.5, offset=0.0),
        Case(shape=[4, 3, 6, 6], noise=0.02, gain=0.9, offset=2.0, seed=1),
    )
    facts = {
        "results": {"type": "object", "additionalProperties": NUMBER},
        "kinds": {"type": "object", "additionalProperties": {"type": "string"}},
        "form": {"type": "string"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        results: dict[str, float] = {}
        kinds: dict[str, str] = {}
        for name, (ref, out) in _pairs(case).items():
            ev.fact("kinds", kinds | {"now": name})
            with torch.no_grad():
                returned = ev.call(answer, ref, out)
            kinds[name] = type(returned).__name__
            if returned is None or isinstance(returned, str):
                ev.fact("form", f"for two tensors it is a {type(returned).__name__}")
                return
            with ev.student("the result was read as a number"):
                results[name] = float(returned)
            ev.fact("results", results)
            ev.fact("kinds", kinds)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        equal = evidence.facts.get("kinds", {}).get("now") == "equal"
        if equal and (exception.get("type") == "ZeroDivisionError" or "math domain" in exception.get("message", "")):
            results = evidence.facts.get("results", {})
            if {"noisy", "scaled", "close"} <= set(results):
                yield from self._decibels(results, _pairs(case))
            yield self._equal(math.nan)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts.get("form"):
            symptom = "The result is not a number."
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], evidence.facts["form"])
            return
        results, pairs = evidence.facts["results"], _pairs(case)
        if set(results) != set(PAIRS):
            yield Finding(None, False, None, "The function was not tried on all pairs.")
            return
        right = yield from self._decibels(results, pairs)
        truth = _sqnr(*pairs["close"])
        close = abs(results["close"] - truth) < 5 * TOLERANCE  # sums of tiny squares
        if right and results["equal"] == math.inf and not close:
            symptom = "Two tensors that are nearly equal do not get their SQNR."
            kind = "nearly-equal" if results["close"] == math.inf else "capped" if results["close"] < truth else None
            detail = f"asked for {truth:.2f}, yours {results['close']:.2f}"
            yield self.failed("equal tensors", kind, symptom, detail=detail)
        else:
            yield self._equal(results["equal"])

    def _decibels(self, results: dict[str, float], pairs: "dict[str, Pair]") -> Generator[Finding, None, bool]:
        truth = {name: _sqnr(*pairs[name]) for name in ("noisy", "scaled")}
        right = {name: abs(results[name] - value) < TOLERANCE for name, value in truth.items()}
        if all(right.values()):
            yield self.passed("decibels")
            yield self.passed("reference first")
        else:
            kind = next((k for k, wrong in WRONG.items() if _fits(wrong, results, pairs)), None)
            detail = ", ".join(f"asked for {truth[n]:.3f}, yours {results[n]:.3f}" for n in truth if not right[n])
            symptom = "The result is not the SQNR in dB."
            if kind == "swapped":
                yield self.passed("decibels")
                symptom = "The result is the SQNR with the two tensors exchanged."
                yield self.failed("reference first", kind, symptom, detail=detail)
            else:
                yield self.failed("decibels", kind, symptom, detail=detail)
                yield self.failed("reference first", kind, symptom, detail=detail)
        return all(right.values())

    def _equal(self, result: float) -> Finding:
        if result == math.inf:
            return self.passed("equal tensors")
        capped = math.isfinite(result) and result > 60
        symptom = "Two equal tensors do not give infinity."
        detail = "" if math.isnan(result) else f"asked for inf, yours {result}"
        return self.failed("equal tensors", "capped" if capped else "equal-tensors", symptom, detail=detail)


Pair = tuple["torch.Tensor", "torch.Tensor"]


def _pairs(case: Case) -> dict[str, Pair]:
    """Four pairs: noise that is larger in some samples than in others, another gain, nearly the same, and the same."""
    import torch

    generator = torch.Generator().manual_seed(case.seed + 11)
    ref = torch.randn(case.shape, generator=generator) + case.offset
    uneven = torch.linspace(0.02, 1.0, case.shape[0]).reshape(-1, *[1] * (len(case.shape) - 1))
    noisy = ref + case.noise * uneven * torch.randn(case.shape, generator=generator)
    close = ref + 1e-6 * ref * torch.randn(case.shape, generator=generator).clamp(-3, 3)
    return {
        "noisy": (ref, noisy),
        "scaled": (ref, case.gain * ref),
        "close": (ref, close),
        "equal": (ref, ref.clone()),
    }


def _powers(ref: "torch.Tensor", out: "torch.Tensor") -> tuple[float, float]:
    return ref.double().square().sum().item(), (ref.double() - out.double()).square().sum().item()


def _sqnr(ref: "torch.Tensor", out: "torch.Tensor") -> float:
    signal, noise = _powers(ref, out)
    return 10 * math.log10(signal / noise)


def _per_sample(ref: "torch.Tensor", out: "torch.Tensor") -> float:
    return sum(_sqnr(r, o) for r, o in zip(ref, out, strict=True)) / len(ref)


def _mean_removed(ref: "torch.Tensor", out: "torch.Tensor") -> float:
    import torch

    signal = ref.double()
    noise = signal - out.double()
    return 10 * torch.log10((signal - signal.mean()).square().sum() / (noise - noise.mean()).square().sum()).item()


def _peak(ref: "torch.Tensor", out: "torch.Tensor") -> float:
    _signal, noise = _powers(ref, out)
    return 10 * math.log10(ref.double().abs().max().item() ** 2 / (noise / ref.numel()))


def _ratio(ref: "torch.Tensor", out: "torch.Tensor") -> float:
    signal, noise = _powers(ref, out)
    return signal / noise


WRONG: dict[str, Callable[["torch.Tensor", "torch.Tensor"], float]] = {
    "half": lambda ref, out: _sqnr(ref, out) / 2,
    "upside-down": lambda ref, out: -_sqnr(ref, out),
    "double": lambda ref, out: _sqnr(ref, out) * 2,
    "natural-log": lambda ref, out: _sqnr(ref, out) * math.log(10),
    "no-log": _ratio,
    "per-sample": _per_sample,
    "swapped": lambda ref, out: _sqnr(out, ref),
    "mean-removed": _mean_removed,
    "peak": _peak,
    "not-the-difference": lambda ref, out: 10 * math.log10(_powers(ref, ref)[0] / _powers(out, out)[0]),
}
"""What a known wrong idea gives."""


def _fits(wrong: Callable[["torch.Tensor", "torch.Tensor"], float], results: Any, pairs: dict[str, Pair]) -> bool:
    expected = {name: wrong(*pairs[name]) for name in ("noisy", "scaled")}
    return all(abs(results[name] - value) < TOLERANCE * max(1, abs(value) / 100) for name, value in expected.items())
