"""Shortcuts are found where the answer can reach them, and nowhere else."""

import pytest

from common.exercise.shortcuts import find_shortcuts

FORBIDDEN = ("prepare_pt2e",)


@pytest.mark.parametrize(
    "source",
    [
        "def f(gm):\n    return prepare_pt2e(gm)",
        "from common.pt2e import prepare_pt2e as p\ndef f(gm):\n    return p(gm)",
        "import common.pt2e\ndef f(gm):\n    return common.pt2e.prepare_pt2e(gm)",
        "def f(gm):\n    from common.pt2e import prepare_pt2e as quiet\n    return quiet(gm)",
        "def g(gm):\n    return prepare_pt2e(gm)\ndef f(gm):\n    return g(gm)",
        "h = prepare_pt2e\ndef f(gm):\n    return h(gm)",
        "f = prepare_pt2e",
        "import common.pt2e as c\ndef f(gm):\n    return getattr(c, 'prepare_pt2e')(gm)",
        "class Helper:\n    def run(self, gm):\n        return prepare_pt2e(gm)\ndef f(gm):\n    return Helper().run(gm)",
        "%time\ndef f(gm):\n    return prepare_pt2e(gm)",
        "def prepare_pt2e(x):\n    pass\nfrom common.pt2e import prepare_pt2e\ndef f(gm):\n    return prepare_pt2e(gm)",
        "import common.pt2e\ndef f(gm):\n    return vars(common.pt2e)['prepare_pt2e'](gm)",
        "f = lambda gm: prepare_pt2e(gm)",
        "if True:\n    def f(gm):\n        return prepare_pt2e(gm)",
    ],
)
def test_found(source: str) -> None:
    assert find_shortcuts([source], "f", FORBIDDEN) == ["prepare_pt2e"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(gm):\n    return gm  # not with prepare_pt2e",
        'def f(gm):\n    """Does what prepare_pt2e does."""\n    return gm',
        "gm = prepare_pt2e(1)\ndef f(gm):\n    return gm",  # the parameter is not that variable
        "auto = prepare_pt2e(1)\ndef f(gm):\n    return gm",  # a try of the student's beside the answer
        "def prepare_pt2e(gm):\n    return gm\ndef f(gm):\n    return prepare_pt2e(gm)",  # the student's own
        "def f(gm):\n    name = 'prepare_pt2e'\n    return gm",
        "gm = prepare_pt2e(1)\nf = lambda gm: [gm for gm in gm]",
        "def f(gm:",
        "x = '\\0'",
    ],
)
def test_not_found(source: str) -> None:
    assert find_shortcuts([source], "f", FORBIDDEN) == []


def test_helper_in_another_cell() -> None:
    cells = ["def g(gm):\n    return prepare_pt2e(gm)", "broken (", "def f(gm):\n    return g(gm)"]
    assert find_shortcuts(cells, "f", FORBIDDEN) == ["prepare_pt2e"]
