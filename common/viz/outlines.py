"""Outlines that hug their text. dot's own ellipse, trapezium and hexagon are about twice as large as what is in them.

dot is told to lay out a box with room at its slanted sides, and the box in its SVG is replaced by the outline.
The slant lies across the direction of the edges, so that edges still meet the outline.
"""

SLANT = 13.0
"""Points that a slanted side takes from the box."""

CUSTOM = frozenset({"stadium", "hexagon", "narrowing", "widening"})

Box = tuple[float, float, float, float]
"""left, top, right, bottom"""


def margin(outline: str, rankdir: str) -> str:
    """Return dot's margin (inches, horizontal and vertical) around the text of a box that gets this outline."""
    slant = SLANT / 72
    if outline == "stadium":
        return f"{0.04 + slant:.3f},0.08"
    if rankdir in ("TB", "BT"):
        return f"{0.05 + slant:.3f},0.07"
    return f"0.12,{0.03 + slant * 0.8:.3f}"


def path(outline: str, box: Box, rankdir: str) -> str:
    """Return the outline that fills `box`, as the `d` of an SVG path."""
    left, top, right, bottom = box
    if outline == "stadium":
        r = min(bottom - top, right - left) / 2
        r = min(r, 2 * SLANT)
        return (
            f"M{left + r:g},{top:g}H{right - r:g}A{r:g},{r:g} 0 0 1 {right:g},{top + r:g}V{bottom - r:g}"
            f"A{r:g},{r:g} 0 0 1 {right - r:g},{bottom:g}H{left + r:g}A{r:g},{r:g} 0 0 1 {left:g},{bottom - r:g}"
            f"V{top + r:g}A{r:g},{r:g} 0 0 1 {left + r:g},{top:g}Z"
        )
    across, along = (right - left, bottom - top) if rankdir in ("TB", "BT") else (bottom - top, right - left)
    s = min(SLANT, across / 3)
    # Corners as (across, along) the direction of the edges, from the side where they come in.
    corners = {
        "narrowing": [(0, 0), (across, 0), (across - s, along), (s, along)],
        "widening": [(s, 0), (across - s, 0), (across, along), (0, along)],
        "hexagon": [(s, 0), (across - s, 0), (across, along / 2), (across - s, along), (s, along), (0, along / 2)],
    }[outline]
    places = {
        "TB": lambda c: (left + c[0], top + c[1]),
        "BT": lambda c: (left + c[0], bottom - c[1]),
        "LR": lambda c: (left + c[1], top + c[0]),
        "RL": lambda c: (right - c[1], top + c[0]),
    }
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in map(places[rankdir], corners)) + "Z"
