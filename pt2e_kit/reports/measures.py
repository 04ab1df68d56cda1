"""The figures of a report, each with the source of its formula."""

import statistics
from collections.abc import Sequence

BINS = 10
FEW = 20
"""Of fewer students a discrimination says little: its standard error is about 1/√(n - 1), 0.23 for twenty."""


def histogram(shares: Sequence[float], bins: int = BINS) -> list[int]:
    """Return how many of `shares` (0 to 1, dimensionless) lie in each of `bins` equal parts; 1 is in the last one."""
    counts = [0] * bins
    for share in shares:
        counts[min(bins - 1, max(0, int(share * bins + 1e-9)))] += 1
    return counts


def spread(scores: Sequence[float]) -> dict[str, float]:
    """Return lowest, quartiles, mean, standard deviation (n - 1) and highest of scores, in points.

    Quartiles as in Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996),
    definition 7: the inclusive method of Python's `statistics.quantiles`. Empty where there are no scores.
    """
    if not scores:
        return {}
    one = len(scores) == 1
    lower, median, upper = [scores[0]] * 3 if one else statistics.quantiles(scores, n=4, method="inclusive")
    return {
        "lowest": min(scores),
        "lower quartile": lower,
        "median": median,
        "mean": statistics.fmean(scores),
        "upper quartile": upper,
        "highest": max(scores),
        "standard deviation": 0.0 if one else statistics.stdev(scores),
    }


def discrimination(item: Sequence[float], rest: Sequence[float]) -> float | None:
    """Return how well an exercise tells strong from weak: its correlation with the rest of the score, -1 to 1.

    This is Pearson's correlation of the points in the exercise with the points in all others, which for an exercise
    that is right or wrong is the point-biserial correlation. The exercise itself is left out of the rest, since with it
    the correlation is too large in short tests: the correction of Henrysson, "Correction of item-total correlations in
    item analysis", Psychometrika 28 (1963), 211-218; also in Crocker and Algina, Introduction to Classical and Modern
    Test Theory (1986), chapter 14.

    Args:
        item: the points of each student in the exercise.
        rest: the points of the same students in all others.

    Returns:
        None where it is not defined: fewer than three students, or all have the same points in one of the two.
    """
    if len(item) < 3 or len(set(item)) == 1 or len(set(rest)) == 1:
        return None
    return statistics.correlation(item, rest)
