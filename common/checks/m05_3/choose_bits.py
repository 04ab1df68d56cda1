"""How many bits each layer gets when there is only so much room."""

from collections.abc import Iterator, Mapping
from typing import Any

from common.checks.m05_3._greedy import greedy, worst_first
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.noise import Decibels, cheapest_bits, db_of, noise_of, spent, total_noise

SAME = 1e-9
"""Two choices whose noise differs by less than this part are equally good: sums in another order round differently."""


class ChooseBits(Exercise):
    """choose_bits(db, weights, budget): the number of bits of each layer that gives the least noise within a budget."""

    id = "m05_3.choose_bits"
    kind = "practice"
    minutes = 15
    criteria = {"within the budget": 1, "least noise": 3}
    must_return = True
    parameters = ("db", "weights", "budget")
    not_allowed = ("cheapest_bits",)
    hints = (
        "There are few layers and few widths: try all combinations, and keep the best one that fits.",
        "`itertools.product(*[db[name] for name in db])` gives all combinations of widths, in the order of the layers.",
        "What a combination costs is the sum of weights · bits. How good it is: the sum of `10 ** (-db[name][bits] / 10)`, "
        "and the smallest one wins.",
    )
    misconceptions = {
        "over-budget": "The budget is for all the weights together: each layer costs the number of its weights times their "
        "bits.",
        "uniform": "The same width everywhere is the simplest choice. A layer with few weights costs little room, and one with "
        "a small error needs few bits: other widths give less noise in the same room.",
        "sum-of-db": "The choice has the largest *sum of decibels*. A layer at 50 dB does not make up for another one at 10: "
        "the noises add up, and the sum is about that of the worst layer.",
        "largest-minimum": "Looking at the worst layer only leaves room unused that would make the others better.",
        "greedy": "One step after the other, always the one that gains most: it is quick, and often near the best choice. "
        "But a step that is taken early may use the room that two others would need.",
        "narrowest": "All layers have the smallest width. There is room for more.",
        "amplitudes": "The noise of a layer is 10^(-dB/10). With 20 in the place of 10 it is an amplitude, and it is the "
        "powers that add up.",
        "weighted": "The decibels were measured at the output of the whole net, so the size of a layer is in them already. "
        "The number of weights counts for the budget only.",
        "fullest": "The choice uses as many bits as fit. But the aim is little noise, and the same number of bits can bring much "
        "in one layer and little in another.",
        "room-left": "A choice that needs exactly the budget fits as well.",
        "worst-first": "The layer that costs most gets as many bits as there are, and the others what is left. Layers "
        "share the noise, so they have to share the room.",
        "no-such-width": "Only the widths in `db` were measured. For others there is no number.",
        "missing": "Each layer gets a width, and there are no other layers.",
        "form": "The result is a dictionary: name of the layer → number of bits.",
    }
    public_cases = (
        Case(
            db={
                "stem": {"2": 14.5, "3": 20.5, "4": 27.5, "8": 45.5},
                "body": {"2": 9.0, "3": 13.5, "4": 18.0, "8": 39.0},
                "head": {"2": 14.5, "3": 18.0, "4": 22.5, "8": 46.0},
            },
            weights={"stem": 200, "body": 1200, "head": 800},
            budget=12600,
        ),
        Case(
            db={
                "conv2d": {"2": 22.0, "4": 31.5, "8": 49.0},
                "conv2d_1": {"2": 13.0, "4": 20.5, "8": 48.5},
                "conv2d_2": {"2": 10.0, "4": 25.0, "8": 49.5},
                "linear": {"2": 20.0, "4": 27.0, "8": 45.0},
            },
            weights={"linear": 800, "conv2d_2": 2000, "conv2d_1": 1200, "conv2d": 200},
            budget=20400,
        ),
        Case(
            db={
                "stem": {"2": 10.0, "4": 22.0, "6": 35.0, "8": 47.0},
                "body": {"2": 12.0, "4": 22.0, "6": 35.0, "8": 49.0},
                "head": {"2": 14.0, "4": 22.0, "6": 35.0, "8": 49.0},
            },
            weights={"stem": 200, "body": 800, "head": 300},
            budget=7400,
        ),
    )
    facts = {
        "kind": {"type": "string"},
        "bits": {"type": "object", "maxProperties": 50, "additionalProperties": NUMBER},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, _table(case), dict(case.weights), int(case.budget))
        ev.fact("kind", type(returned).__name__)
        with ev.student("the result was read as a dictionary of numbers"):
            items = list(returned.items())[:50] if isinstance(returned, Mapping) else []
            ev.fact("bits", {str(k): float(v) for k, v in items})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        db, weights, budget = _table(case), dict(case.weights), int(case.budget)
        said = evidence.facts.get("bits", {})
        if not said:
            yield self.failed(
                "within the budget", "form", "The result is not a dictionary with an entry for each layer."
            )
            return
        if set(said) != set(db):
            symptom = "The result does not have an entry for each layer, and for these only."
            yield self.failed("within the budget", "missing", symptom)
            return
        if any(value not in db[name] for name, value in said.items()):
            symptom = "A layer has a width that was not measured."
            yield self.failed("within the budget", "no-such-width", symptom)
            return
        bits = {name: int(value) for name, value in said.items()}
        used, right = spent(bits, weights), cheapest_bits(db, weights, budget)
        if used > budget:
            detail = f"the budget is {budget} bits, yours needs {used}"
            symptom = "The weights do not fit into the budget."
            kind = "over-budget"
            yield self.failed("within the budget", kind, symptom, detail=detail)
            yield self.failed("least noise", None, "A choice that does not fit cannot be the best one.")
            return
        yield self.passed("within the budget")
        if total_noise(db, bits) <= total_noise(db, right) * (1 + SAME):
            yield self.passed("least noise")
            return
        detail = f"{db_of(total_noise(db, right)):.2f} dB are possible, yours has {db_of(total_noise(db, bits)):.2f}"
        symptom = "There is a choice with less noise that fits into the budget."
        yield self.failed("least noise", _idea(db, weights, budget, bits), symptom, detail=detail)


def _idea(db: Decibels, weights: dict[str, int], budget: int, bits: dict[str, int]) -> str | None:
    """The wrong idea that leads to this choice, where only one does."""

    def sum_of_db(b: Mapping[str, int]) -> float:
        return -sum(db[n][b[n]] for n in db)

    def worst(b: Mapping[str, int]) -> float:
        return -min(db[n][b[n]] for n in db)

    def amplitudes(b: Mapping[str, int]) -> float:
        return sum(10 ** (-db[n][b[n]] / 20) for n in db)

    def weighted(b: Mapping[str, int]) -> float:
        return sum(weights[n] * noise_of(db[n][b[n]]) for n in db)

    def unused(b: Mapping[str, int]) -> float:
        return -spent(b, weights)

    narrowest = {name: min(db[name]) for name in db}
    if bits == narrowest:
        return "narrowest"
    if len(set(bits.values())) == 1:
        return "uniform"
    costs = {
        "sum-of-db": sum_of_db,
        "largest-minimum": worst,
        "amplitudes": amplitudes,
        "weighted": weighted,
        "fullest": unused,
    }
    found = {kind for kind, cost in costs.items() if bits == cheapest_bits(db, weights, budget, cost)}
    if spent(narrowest, weights) < budget and bits == cheapest_bits(db, weights, budget - 1):
        found.add("room-left")
    if bits in (greedy(db, weights, budget, per_bit=True), greedy(db, weights, budget, per_bit=False)):
        found.add("greedy")
    if bits == worst_first(db, weights, budget):
        found.add("worst-first")
    return found.pop() if len(found) == 1 else None


def _table(case: Case) -> dict[str, dict[int, float]]:
    """The table of a case; the keys of JSON are texts."""
    return {name: {int(bits): float(value) for bits, value in row.items()} for name, row in case.db.items()}
