"""Answers that return what nobody asked for: each is wrong, and none is a failure of ours or looks dishonest."""

from types import SimpleNamespace
from typing import Any

import pytest
from answers_bank import judge_object

from common.exercise import Exercise, all_exercises


class _NoText:
    def __repr__(self) -> str:
        raise RuntimeError

    __str__ = __repr__


ODD: dict[str, Any] = {
    "true": True,
    "large": 10**4000,
    "nan": float("nan"),
    "text": "x" * 5000,
    "half": "\ud800",
    "list": [[True, {"a": [None]}], 2**70, float("-inf"), object()],
    "dict": {"a": {"b": 10**400}, 1: {2, 3}, None: b"x"},
    "object": _NoText(),
    "class": SimpleNamespace,
    "pair": (float("inf"), True),
}


@pytest.mark.parametrize("exercise", [pytest.param(e, id=e.id) for e in all_exercises()])
def test_odd_return_values_are_wrong_and_no_more(exercise: Exercise) -> None:
    for name, value in ODD.items():
        verdict = judge_object(exercise, lambda *_a, _value=value, **_k: _value)
        assert not verdict.passed, name
        assert not verdict.notes, (name, verdict.notes)
        assert verdict.status == "scored", (name, verdict.status)
