"""Results in the forms that other systems read: made from results.json, and from nothing else."""

from collections.abc import Callable, Mapping
from typing import Any

from pt2e_kit.formats.exercism import exercism
from pt2e_kit.formats.gradescope import gradescope

FORMATS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "results": dict,
    "gradescope": gradescope,
    "exercism": exercism,
}
"""Name → what makes it from a result (docs/results.schema.json)."""
