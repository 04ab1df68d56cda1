"""4-bit weights with one scale for each group of neighbours in a row."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from common.checks.m05_1._weights import SMALLEST, weight
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

TOP = 7


class GroupQuantize(Exercise):
    """group_quantize(w, group): integers of 4 bits, and one scale for each group of neighbours in a row."""

    id = "m05_1.group_quantize"
    kind = "core"
    minutes = 20
    criteria = {"one scale for each group": 2, "last group": 2, "integers": 2}
    must_return = True
    parameters = ("w", "group")
    not_allowed = (
        "quantize_per_channel_group",
        "choose_qparams_affine",
        "quantize_affine",
        "get_group_qparams_symmetric",
        "group_quantize_tensor_symmetric",
        "PerGroup",
    )
    hints = (
        "A row of 10 with groups of 4 has three groups: columns 0…3, 4…7, and 8…9. How many are there in general? Begin with "
        "a loop over the first columns of the groups.",
        "`w[:, start : start + group]` is one group of every row; at the end it is simply shorter. The scales of this "
        "group are a 1-D tensor with one entry for each row, and `torch.stack(..., dim=1)` puts such tensors side by side.",
        "Scale: `abs().amax(1) / 7`, at least 2⁻¹². Integers: `round(part / scale[:, None])`; `torch.cat(..., dim=1)` joins "
        "the groups. With padding it works too: zeros do not change a largest absolute value; cut them off at the end.",
    )
    misconceptions = {
        "drops-last": "`columns // group` does not count the group at the end that is shorter. Its weights need a scale as "
        "well: there are `ceil(columns / group)` groups.",
        "merges-last": "The columns that are left over are a group of their own, with a scale of their own. Put to the group "
        "before, they share its step, and a weight has another number of scales than its reader expects.",
        "overlaps": "The last group begins where the one before it ends. Moved back so that it is full, it takes in values "
        "that belong to the neighbour.",
        "evenly": "All groups have `group` columns, only the last one may be shorter. `chunk` and `tensor_split` make groups "
        "that are as equal as possible, which is another division.",
        "number-of-groups": "`group` is the *size* of a group, not how many there are.",
        "along-outputs": "A group lies inside one row: neighbours along the *input* axis (axis 1), the axis that is summed "
        "over. Along axis 0 the members would belong to different outputs.",
        "crosses-rows": "Cut as one long row, groups run over the end of a row into the next one, as soon as a row is no "
        "multiple of the group. Rows belong to different outputs and sizes.",
        "every-nth": "`reshape(rows, groups, group)` keeps neighbours together. With the last two numbers swapped, a group "
        "holds every n-th column.",
        "per-channel": "One scale for a whole row is what a group is there to avoid: a large value takes away the "
        "steps from its own group only.",
        "shape": "The scales form a table, rows × groups: `scales[r, g]` belongs to group g of row r.",
        "eight-bits": "Integers of 4 bits reach from -7 to 7 here. The largest weight of a group becomes 7 or -7.",
        "half-width": "The grid -7…7 has 7 steps on each side of 0: the largest absolute value is divided by 7.",
        "one-side": "The grid has to reach the value that is farthest from 0, negative values too: `abs()` first.",
        "affine": "A symmetric grid has no zero point: the scale is the largest absolute value divided by 7, not the width "
        "divided by the number of steps.",
        "truncated": "Converting to an integer type cuts the digits off. Round first.",
        "dequantized": "What is stored are the integers: w divided by its scale and rounded. Whoever reads them "
        "multiplies again.",
        "limit": "The scale is the size of one *step*. The largest absolute value itself is seven steps.",
        "no-smallest-scale": "A group of zeros has the largest value 0, and dividing by that gives nan. 2⁻¹² is the smallest "
        "scale: it takes the place of every smaller one, that of a group of very small weights too.",
        "eps-added": "2⁻¹² takes the place of scales that are smaller. It is not added to the others.",
        "swapped": "The pair is (integers, scales), in this order.",
        "changes-input": "The caller's weight has to stay as it is.",
    }
    public_cases = (
        Case(shape=[4, 12], group=4, rows=0.6, columns=1.0),
        Case(shape=[3, 14], group=6, rows=0.6, columns=1.0, seed=1),
        Case(shape=[5, 7], group=3, rows=0.4, columns=0.8, zero=1, tiny=3, seed=2),
    )
    facts = {
        "q": TENSOR,
        "scales": TENSOR,
        "w_after": TENSOR,
        "q_type": {"type": "string"},
        "scales_type": {"type": "string"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        w = weight(case)
        returned = ev.call(answer, w, case.group)
        ev.tensor("w_after", w)
        with ev.student("what was returned was read as a pair"):
            q, scales = returned
        ev.tensor("q", q)
        ev.tensor("scales", scales)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        w = weight(case)
        if not torch.equal(evidence.tensor("w_after"), w):
            for criterion in self.criteria:
                yield self.failed(criterion, "changes-input", "The weight holds other values after the call.")
            return
        if not (evidence.has("q") and evidence.has("scales")):
            types = [evidence.facts.get(f"{name}_type", "a tensor") for name in ("q", "scales")]
            detail = f"yours: {types[0]} and {types[1]}"[:200]
            yield Finding(None, False, "form", "What is returned is not a pair of two tensors.", "", detail)
            return
        q, scales = (_real(evidence.tensor(name)) for name in ("q", "scales"))
        if _is_pair(scales, q, w, case.group):
            yield Finding(None, False, "swapped", "The scales come first.", self.misconceptions["swapped"])
            return
        found = list(self._scales(case, w, scales, complete=q.shape == w.shape))
        yield from found
        integers = self._integers(case, w, q, scales)
        layout = next((f for f in found if not f.passed and f.misconception), None)
        if not integers.passed and not integers.misconception and layout:  # it has been said
            integers = replace(layout, criterion=integers.criterion)
        yield integers

    def _scales(self, case: Case, w: "torch.Tensor", scales: "torch.Tensor", *, complete: bool) -> Iterator[Finding]:
        """On the scales; complete: there is an integer for each weight."""
        import torch

        first, last = "one scale for each group", "last group"
        right = _scales(w, _starts(w.shape[1], case.group))
        full = w.shape[1] // case.group
        if scales.shape == right.shape and _near(scales, right):
            yield self.passed(first)
            yield self.passed(last)
            return
        detail = f"shape of the scales: yours {tuple(scales.shape)}, wanted {tuple(right.shape)}"
        kinds = [k for k, s in _wrong(w, case.group) if s.shape == scales.shape and _near(scales, s)]
        if complete and "merges-last" in kinds:  # the columns left over may happen to be small ones
            kinds.insert(0, "merges-last")
        kind = kinds[0] if kinds else None
        if kind in ("drops-last", "merges-last", "overlaps"):
            yield self.passed(first)
            yield self.failed(last, kind, _SYMPTOMS[kind], detail=detail)
            return
        if scales.shape == right.shape:
            at = torch.nan_to_num((scales - right).abs() / right, nan=torch.inf).argmax()
            row, column = divmod(int(at), right.shape[1])
            said, wanted = float(scales[row, column]), float(right[row, column])
            detail = f"scales[{row}, {column}]: yours {said:.6g}, wanted {wanted:.6g}"
            if kind is None and _near(scales[right > SMALLEST], right[right > SMALLEST]):
                kind = "no-smallest-scale"
        elif kind is None and any(
            scales.numel() == s.numel() and _near(scales.flatten(), s.flatten())
            for s in (right, _spread(right, case, w))
        ):
            kind = "shape"
        symptom = _SYMPTOMS.get(kind, "The scales are not those of the groups.")
        yield self.failed(first, kind, symptom, detail=detail)
        only_last = kind is None and scales.shape == right.shape and _near(scales[:, :full], right[:, :full])
        yield self.failed(last, kind, "The last group has another scale." if only_last else symptom, detail=detail)

    def _integers(self, case: Case, w: "torch.Tensor", q: "torch.Tensor", scales: "torch.Tensor") -> Finding:
        """The integers that belong to the answer's own scales where these can be read, else to the right ones."""
        import torch

        criterion = "integers"
        if q.shape != w.shape:
            kind = "drops-last" if tuple(q.shape) == (w.shape[0], w.shape[1] // case.group * case.group) else None
            detail = f"shape of the integers: yours {tuple(q.shape)}, wanted {tuple(w.shape)}"
            return self.failed(criterion, kind, "The integers do not have the shape of the weight.", detail=detail)
        right = _scales(w, _starts(w.shape[1], case.group))
        grids = [_spread(right, case, w)]
        if scales.shape == right.shape:
            usable = (scales > 0) & torch.isfinite(scales)
            grids.insert(0, _spread(torch.where(usable, scales, right), case, w))
        if not bool(torch.isfinite(q).all()):
            return self.failed(criterion, "no-smallest-scale", "Some of the integers are nan or infinite.")
        whole = bool((q == torch.round(q)).all())
        if whole and float(q.abs().max()) > TOP:
            return self.failed(criterion, "eight-bits", "There are integers outside of -7…7.")
        for grid in grids:
            if whole and bool(((q - w.double() / grid).abs() <= 0.5 + 1e-3).all()):
                return self.passed(criterion)
        grid = grids[-1]
        exact = w.double() / grid
        if _same(q, torch.trunc(exact)) or _same(q, torch.floor(exact)):
            kind, symptom = "truncated", "The digits are cut off."
        elif bool(((q - w).abs() <= 0.5001 * grid).all()):
            kind, symptom = (
                "dequantized",
                "These are no whole numbers, but the weight after its way to the grid and back.",
            )
        elif not whole:
            kind, symptom = None, "Not all of them are whole numbers."
        else:
            kind, symptom = None, "The integers are not the weight divided by the scale of its group, rounded."
        row, column = divmod(int((q - exact).abs().argmax()), w.shape[1])
        said, wanted = float(q[row, column]), float(torch.round(exact)[row, column])
        detail = f"q[{row}, {column}]: yours {said:g}, wanted {wanted:g}"
        return self.failed(criterion, kind, symptom, detail=detail)


_SYMPTOMS: dict[str | None, str] = {
    "drops-last": "The columns at the end that do not fill a group have no scale.",
    "merges-last": "The last group holds more columns than the others.",
    "overlaps": "The last group holds columns of its neighbour.",
    "evenly": "The groups do not have the size that was asked for.",
    "number-of-groups": "The groups do not have the size that was asked for.",
    "along-outputs": "The groups do not lie inside the rows.",
    "crosses-rows": "Some groups hold weights of two rows.",
    "every-nth": "The members of a group are no neighbours.",
    "per-channel": "There is one scale for a whole row.",
    "shape": "The scales are right, and do not form a table of rows × groups.",
    "eight-bits": "The scales are too small for integers of 4 bits.",
    "half-width": "The scales are not the largest absolute value of the group divided by 7.",
    "one-side": "The scales look at one side of 0 only.",
    "affine": "The scales are those of an affine grid.",
    "limit": "The scales are seven times too large.",
    "no-smallest-scale": "A group of zeros, or of very small weights, has another scale than 2⁻¹².",
    "eps-added": "The scales are a little too large, all by the same amount.",
}


def _real(t: "torch.Tensor") -> "torch.Tensor":
    return t.real.double() if t.is_complex() else t.double()


def _near(a: "torch.Tensor", b: "torch.Tensor") -> bool:
    """Equal as far as half precision of a division can tell, and all of it finite."""
    return a.numel() > 0 and bool(((a - b).abs() <= 1e-5 * b.abs()).all())


def _same(q: "torch.Tensor", wanted: "torch.Tensor") -> bool:
    """All but a few of them: float32 may cut another value off than float64."""
    return float((q != wanted).double().mean()) < 0.05


def _starts(columns: int, group: int) -> list[tuple[int, int]]:
    return [(a, min(a + group, columns)) for a in range(0, columns, group)]


def _raw(w: "torch.Tensor", parts: list[tuple[int, int]]) -> "torch.Tensor":
    import torch

    return torch.stack([w[:, a:b].abs().amax(1) for a, b in parts], 1).double()


def _scales(w: "torch.Tensor", parts: list[tuple[int, int]], top: float = TOP) -> "torch.Tensor":
    return (_raw(w, parts) / top).clamp(min=SMALLEST)


def _of_parts(parts: Sequence["torch.Tensor"]) -> "torch.Tensor":
    import torch

    found = torch.stack([p.abs().amax(1) for p in parts if p.shape[1]], 1)
    return (found.double() / TOP).clamp(min=SMALLEST)


def _spread(scales: "torch.Tensor", case: Case, w: "torch.Tensor") -> "torch.Tensor":
    """For each weight the scale of its group."""
    return scales.repeat_interleave(case.group, 1)[:, : w.shape[1]]


def _is_pair(q: "torch.Tensor", scales: "torch.Tensor", w: "torch.Tensor", group: int) -> bool:
    """Whether the two are what was asked for, in the other order."""
    right = _scales(w, _starts(w.shape[1], group))
    return q.shape == w.shape and scales.shape == right.shape and q.shape != scales.shape and _near(scales, right)


def _wrong(w: "torch.Tensor", group: int) -> Iterator[tuple[str, "torch.Tensor"]]:
    """Scales that come out by a known mistake, in the shape that they usually have then."""
    import torch

    rows, columns = w.shape
    full, parts = columns // group, _starts(columns, group)
    if columns % group and full:
        whole = parts[:full]
        yield "drops-last", _scales(w, whole)
        yield "merges-last", _scales(w, [*whole[:-1], (whole[-1][0], columns)])
        yield "overlaps", _scales(w, [*whole, (columns - group, columns)])
    n = math.ceil(columns / group)
    for cuts in (w.chunk(n, 1), w.tensor_split(n, 1), w.tensor_split(max(full, 1), 1)):
        yield "evenly", _of_parts(cuts)
    for cuts in (w.chunk(group, 1), w.tensor_split(group, 1)):
        yield "number-of-groups", _of_parts(cuts)
    tall = _scales(w.T, _starts(rows, group))
    yield "along-outputs", tall
    yield "along-outputs", tall.T
    flat = w.flatten()
    filled = torch.cat([flat, flat.new_zeros(-len(flat) % group)]).reshape(1, -1, group)
    long = (filled.abs().amax(2).double() / TOP).clamp(min=SMALLEST)
    if columns % group and full:
        for shape in ((-1,), (-1, 1), (1, -1)):
            yield "crosses-rows", long.reshape(shape)
        if long.numel() % rows == 0:
            yield "crosses-rows", long.reshape(rows, -1)
    padded = torch.cat([w, w.new_zeros(rows, n * group - columns)], 1)
    yield "every-nth", (padded.reshape(rows, group, n).abs().amax(1).double() / TOP).clamp(min=SMALLEST)
    yield "every-nth", _of_parts([w[:, i::n] for i in range(n)])
    row = _scales(w, [(0, columns)])
    for s in (row, row.squeeze(1), row.expand(rows, n)):
        yield "per-channel", s
    for name, top in (("eight-bits", 127), ("half-width", 8), ("half-width", 7.5), ("half-width", 15), ("limit", 1)):
        yield name, _scales(w, parts, top)
        yield name, _raw(w, parts) / top
    lows = torch.stack([w[:, a:b].amin(1) for a, b in parts], 1).double()
    highs = torch.stack([w[:, a:b].amax(1) for a, b in parts], 1).double()
    for side in (highs, highs.clamp(min=0)):
        yield "one-side", (side / TOP).clamp(min=SMALLEST)
    for steps in (14, 15):
        yield "affine", ((highs - lows) / steps).clamp(min=SMALLEST)
        yield "affine", ((highs.clamp(min=0) - lows.clamp(max=0)) / steps).clamp(min=SMALLEST)
    yield "eps-added", _raw(w, parts) / TOP + SMALLEST
    smaller = _raw(w, parts) / TOP
    if bool((smaller < SMALLEST).any()):
        yield "no-smallest-scale", smaller
