"""Sharing out bits step by step: quick, and not always the best; called by judges."""

from collections.abc import Mapping

from common.noise import Decibels, noise_of, spent


def greedy(db: Decibels, weights: Mapping[str, int], budget: float, *, per_bit: bool) -> dict[str, int]:
    """Start with the narrowest widths; give one step more to the layer that gains most, as long as there is room."""
    bits = {name: min(db[name]) for name in db}
    while True:
        steps = {}
        for name in db:
            wider = [b for b in sorted(db[name]) if b > bits[name]]
            if wider and spent(bits | {name: wider[0]}, weights) <= budget:
                gain = noise_of(db[name][bits[name]]) - noise_of(db[name][wider[0]])
                steps[name] = (gain / (weights[name] * (wider[0] - bits[name])) if per_bit else gain, wider[0])
        if not steps:
            return bits
        name = max(steps, key=lambda n: steps[n][0])
        bits[name] = steps[name][1]


def worst_first(db: Decibels, weights: Mapping[str, int], budget: float) -> dict[str, int]:
    """As many bits as fit for the worst layer, then for the next one."""
    bits = {name: min(db[name]) for name in db}
    for name in sorted(db, key=lambda n: db[n][min(db[n])]):
        fitting = [b for b in db[name] if spent(bits | {name: b}, weights) <= budget]
        bits[name] = max(fitting, default=bits[name])
    return bits
