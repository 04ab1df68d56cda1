"""Disguised shortcuts and what reaches into the grader: found in many spellings, and never in honest work."""

from pathlib import Path

import nbformat
import pytest
from grading_kit import ROOT

from common.exercise.shortcuts import find_shortcuts
from common.exercise.source import Reader, parse_cell
from pt2e_kit.grading.suspicion import look

FORBIDDEN = ("prepare_pt2e", "splice")
F = "def f(gm):\n    return "


def told(*sources: str) -> str:
    notes = look(sources)
    assert {n.kind for n in notes} <= {"suspicion"}
    return " | ".join(n.message for n in notes)


# ---------------------------------------------------------------- shortcuts

DISGUISED = [
    f"import common.pt2e as c\n{F}getattr(c, 'prepare' + '_pt2e')(gm)",
    f"import common.pt2e as c\n{F}getattr(c, f'prepare_{{\"pt2e\"}}')(gm)",
    f"import common.pt2e as c\n{F}getattr(c, '_'.join(['prepare', 'pt2e']))(gm)",
    f"import common.pt2e as c\n{F}getattr(c, 'e2tp_eraperp'[::-1])(gm)",
    f"import common.pt2e as c\n{F}getattr(c, '%s_pt2e' % 'prepare')(gm)",
    f"import common.pt2e as c\n{F}getattr(c, '{{}}_{{}}'.format('prepare', 'pt2e'))(gm)",
    f"import common.pt2e as c\n{F}getattr(c, 'PREPARE_PT2E'.lower())(gm)",
    f"import common.pt2e as c\n{F}getattr(c, 'prepXre_pt2e'.replace('X', 'a'))(gm)",
    f"import common.pt2e as c\n{F}getattr(c, bytes.fromhex('707265706172655f70743265').decode())(gm)",
    f"import common.pt2e as c\nn = 'prepare'\nn2 = n + '_pt2e'\n{F}getattr(c, n2)(gm)",
    f"import common.pt2e as c\ng = getattr\n{F}g(c, 'prepare_pt2e')(gm)",
    f"import common.pt2e as c\nfrom functools import partial\nlook = partial(getattr, c)\n{F}look('prepare_pt2e')(gm)",
    f"import common.pt2e as c\nfrom operator import attrgetter as a\n{F}a('prepare_pt2e')(c)(gm)",
    f"import common.pt2e as c\n{F}c.__dict__['prepare_pt2e'](gm)",
    f"import common.pt2e as c\n{F}c.__dict__.get('prepare' '_pt2e')(gm)",
    f"import common.pt2e as c\n{F}vars(c)['prepare' + '_pt2e'](gm)",
    f"import common.pt2e as c\n{F}c.__getattribute__('prepare_pt2e')(gm)",
    f"import sys, common.pt2e\n{F}sys.modules['common.pt2e'].prepare_pt2e(gm)",
    f"import importlib\n{F}importlib.import_module('common.pt2e').prepare_pt2e(gm)",
    f"from importlib import import_module as i\nm = i('common.' + 'pt2e')\n{F}getattr(m, 'prepare_pt2e')(gm)",
    f"{F}__import__('common.pt2e').pt2e.prepare_pt2e(gm)",
    f"{F}globals()['prepare' + '_pt2e'](gm)",
    "def f(gm):\n    exec('from common.pt2e import prepare_pt2e as p; r = p(gm)', globals())\n    return r",
    f"{F}eval('prepare_pt2e(gm)')",
    f"s = 'prepare_pt2e'\n{F}eval(s + '(gm)')",
    f"{F}eval(compile('prepare_pt2e(gm)', '', 'eval'))",
    "exec('def f(gm):\\n    return prepare_pt2e(gm)')",
    "get_ipython().run_cell('from common.pt2e import prepare_pt2e as f')",
    f"import base64\n{F}eval(base64.b64decode(b'cHJlcGFyZV9wdDJlKGdtKQ=='))",
    f"from functools import partial\nfrom common.pt2e import prepare_pt2e as p\nq = partial(p)\n{F}q(gm)",
    f"from common.pt2e import *\n{F}prepare_pt2e(gm)",
    "from common.pt2e import prepare_pt2e as f",
    f"from common.pt2e import prepare_pt2e as p\nh = p\nk = h\n{F}k(gm)",
    "def f(gm):\n    import common.pt2e as c\n    step = c.prepare_pt2e\n    return step(gm)",
    f"prepare_pt2e = prepare_pt2e\n{F}prepare_pt2e(gm)",
    f"import common.pt2e\nprepare_pt2e = common.pt2e.prepare_pt2e\n{F}prepare_pt2e(gm)",
    f"import common.pt2e as c\ndef prepare_pt2e(): pass\n{F}c.prepare_pt2e(gm)",
    f"{F}(lambda prepare_pt2e: 0) and prepare_pt2e(gm)",
    f"class Tools: pass\nTools.run = prepare_pt2e\n{F}Tools.run(gm)",
    f"tools = {{}}\ntools['run'] = prepare_pt2e\n{F}tools['run'](gm)",
    f"tools = []\ntools.append(prepare_pt2e)\n{F}tools[0](gm)",
    f"class Tools: pass\nsetattr(Tools, 'run', prepare_pt2e)\n{F}Tools.run(gm)",
    "def f(gm, p=prepare_pt2e):\n    return p(gm)",
    "@prepare_pt2e\ndef f(gm):\n    return gm",
    f"try:\n    from common.pt2e import prepare_pt2e as p\nexcept ImportError:\n    pass\n{F}p(gm)",
    "def f(gm):\n    %time gm = prepare_pt2e(gm)\n    return gm",
    "def f(gm):\n    names = !ls\n    return prepare_pt2e(gm)",
    "%%time\nf = prepare_pt2e",
    "%time f = prepare_pt2e",
    f"if (g := prepare_pt2e):\n    pass\n{F}g(gm)",
    "async def f(gm):\n    return prepare_pt2e(gm)",
]


@pytest.mark.parametrize("source", DISGUISED)
def test_a_disguised_shortcut_is_found(source: str):
    assert find_shortcuts([source], "f", FORBIDDEN) == ["prepare_pt2e"]


@pytest.mark.parametrize(
    "cells",
    [
        [
            "%%writefile mine.py\nfrom common.pt2e import prepare_pt2e\ndef go(gm):\n    return prepare_pt2e(gm)",
            "import mine\ndef f(gm):\n    return mine.go(gm)",
        ],
        [
            "%%writefile mine.py\nfrom common.pt2e import prepare_pt2e as go",
            "from mine import go as quiet\ndef f(gm):\n    return quiet(gm)",
        ],
        ["from common.pt2e import prepare_pt2e as p", "def f(gm):\n    return p(gm)", "from math import sqrt as p"],
        ["def g(gm):\n    return h(gm)", "h = lambda gm: prepare_pt2e(gm)", "def f(gm):\n    return g(gm)"],
    ],
)
def test_over_several_cells(cells: list[str]):
    assert find_shortcuts(cells, "f", FORBIDDEN) == ["prepare_pt2e"]


@pytest.mark.parametrize(
    "source",
    [
        "class B:\n    def splice(self, gm):\n        return gm\n    def go(self, gm):\n        return self.splice(gm)\n"
        "def f(gm):\n    return B().go(gm)",
        "def f(gm):\n    def splice(a):\n        return a\n    return splice(gm)",
        "def splice(gm):\n    return gm\ndef f(gm):\n    return splice(gm)",
        "splice = lambda gm: gm\ndef f(gm):\n    return splice(gm)",
        "def f(gm):\n    gm.add_submodule('splice', gm)\n    return gm",
        "def f(gm):\n    print('prepare_pt2e', f'{gm} splice')\n    return gm",
        "def f(gm):\n    return gm.meta.get('name') == 'splice'",
        "def f(gm):\n    by_name = {n.name: n for n in gm.graph.nodes}\n    return by_name['splice'], gm.meta.get('splice')",
        "import common.pt2e as c\ndef f(gm):\n    return getattr(gm, 'conv' + '1')",
        "exec('gm = prepare_pt2e(1)')\ndef f(gm):\n    return gm",
        "tools = {}\ntools['run'] = prepare_pt2e\ndef f(gm):\n    return gm",
        "def f(gm):\n    return eval('1 + 1')",
        "import common.pt2e\nmine = common.pt2e.prepare_pt2e(1)\ndef f(gm):\n    mine = 1\n    return mine",
    ],
)
def test_the_students_own_is_no_shortcut(source: str):
    assert find_shortcuts([source], "f", FORBIDDEN) == []


# ---------------------------------------------------------------- what reaches into the grader

SUSPICIOUS = {
    # source: what the note names
    "getattr(get_ipython(), 'input_transformers_' + 'cleanup').append(f)": "input_transformers_cleanup",
    "get_ipython().__dict__['ast_transformers'].append(f)": "ast_transformers",
    "import importlib\nm = importlib.import_module('common.' + 'exercise.capture')\nm.evidence": "common.exercise",
    "m = __import__('common.exercise.capture')": "common.exercise",
    "import common\ncommon.exercise.capture": "common.exercise",
    "from common import exercise": "common.exercise",
    "import common.checks.m02_2 as c": "common.checks",
    "exec('import common.exercise')": "common.exercise",
    "exec('import ' + 'common.exercise')": "common.exercise",
    "s = '__import__(\"common.exercise\")'\neval(s)": "common.exercise",
    "get_ipython().run_cell('1')": "run_cell",
    "get_ipython().events.register('post_run_cell', f)": "post_run_cell",
    "import sys\nsys.settrace(f)": "settrace",
    "from sys import setprofile as s": "setprofile",
    "import threading\nthreading.settrace(f)": "settrace",
    "import sys\nsys._getframe(1).f_globals": "f_globals",
    "import inspect\ninspect.currentframe().f_back": "f_back",
    "import gc\n[o for o in gc.get_objects()]": "get_objects",
    "import gc\ngc.get_referrers(f)": "get_referrers",
    "object.__subclasses__()": "__subclasses__",
    "import ctypes": "ctypes",
    "from ctypes import pythonapi": "ctypes",
    "import atexit\natexit.register(f)": "atexit",
    "open('/proc/self/environ').read()": "/proc",
    "import os\nopen(f'/proc/{os.getppid()}/mem')": "/proc",
    "import os\nos.environ['PT2E_KIT_' + 'EVIDENCE']": "PT2E_KIT",
    "import os\n[v for k, v in os.environ.items() if k.startswith('PT2E_KIT')]": "PT2E_KIT",
    "import builtins\nbuiltins.abs = f": "builtins.abs",
    "import builtins as b\nb.abs = 5": "builtins.abs",
    "__builtins__['abs'] = f": "builtins.abs",
    "setattr(__import__('builtins'), 'abs', f)": "builtins.abs",
    "import torch\ntorch.allclose = lambda *a: True": "torch.allclose",
    "import torch.testing as t\nt.assert_close = f": "torch.testing.assert_close",
    "from torch import nn\nnn.functional.conv2d = f": "torch.nn.functional.conv2d",
    "import torch\nsetattr(torch, 'all' + 'close', f)": "torch.allclose",
    "import torch\ntorch.__dict__['allclose'] = f": "torch.allclose",
    "import torch\nvars(torch)['allclose'] = f": "torch.allclose",
    "import torch\nt = torch\nt.allclose = f": "torch.allclose",
    "import torch\ndel torch.allclose": "torch.allclose",
    "import common\ncommon.evidence = f": "common.evidence",
    "import math\nmath.isclose = lambda *a, **k: True": "math.isclose",
    "from unittest.mock import patch\nimport torch\npatch('torch.allclose', f).start()": "torch.allclose",
    "import sys\nsys.modules['common'] = f": "sys.modules['common']",
    "from sys import modules\nmodules['torch'] = f": "sys.modules['torch']",
    "import sys\nsys.modules[name] = f": "sys.modules",
    "import sys\nsys.meta_path.insert(0, f)": "meta_path",
    "f.__code__ = g.__code__": "__code__",
    "import zlib\nexec(zlib.decompress(data))": "put together",
    "exec(open('x.py').read())": "put together",
    "eval(input())": "put together",
    "class E:\n    def __eq__(self, other):\n        return not False": "equal to everything",
    "class E:\n    def __eq__(self, other):\n        if other:\n            return True\n        return 1": "equal to everything",
    "class E:\n    __eq__ = lambda s, o: True": "equal to everything",
    "E = type('E', (), {'__eq__': lambda s, o: True})": "equal to everything",
    "E = type('E', (), {'__e' + 'q__': lambda s, o: True})": "equal to everything",
    "E = type('E', (), dict(__eq__=lambda s, o: True))": "equal to everything",
    "def yes(*a):\n    return True\nclass E(float): pass\nE.__eq__ = yes": "equal to everything",
    "class E: pass\nsetattr(E, '__eq__', lambda s, o: True)": "equal to everything",
    "class E(float):\n    def __lt__(self, other): return True": "equal to everything",
    "class E:\n    def __ne__(self, other): return False": "equal to everything",
    "from unittest.mock import ANY\ndef square(x): return ANY": "equal to everything",
    "import unittest.mock\ndef square(x): return unittest.mock.ANY": "equal to everything",
    "%%time\nimport torch\ntorch.allclose = f": "torch.allclose",
    "def g():\n    %time import ctypes": "ctypes",
}


@pytest.mark.parametrize("source", SUSPICIOUS)
def test_it_is_noted_by_name(source: str):
    assert SUSPICIOUS[source] in told("x = 1", "not Python", source)


HONEST = [
    "import torch\ntorch.backends.quantized.engine = 'x86'\ntorch.manual_seed(0)",
    "import torch._dynamo\ntorch._dynamo.config.suppress_errors = True",
    "import numpy as np\nnp.random.seed(0)\nx = np.zeros(3)\nx[0] = 5",
    "import sys, io\nsys.stdout = io.StringIO()\nsys.path.insert(0, '.')",
    "import warnings\nwarnings.showwarning = lambda *a, **k: None",
    "import matplotlib.pyplot as plt\nplt.rcParams['figure.figsize'] = (3, 3)",
    "import os\nos.environ['OMP_NUM_THREADS'] = '1'",
    "import gc\ngc.collect()",
    "import inspect\nprint(inspect.signature(f))",
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.conv = torch.nn.Conv2d(1, 1, 1)",
    "node.args = (a, b)\nnode.meta['val'] = x\ngm.graph.lint()\ngm.conv = module\nsetattr(gm, 'act', torch.nn.ReLU())",
    "class P:\n    def __eq__(self, other):\n        if type(other) is not P:\n            return False\n        return self.x == other.x",
    "class P:\n    def __lt__(self, other):\n        return self.x < other.x",
    "def total(xs):\n    return eval('1 + 1') + sum(xs)",
    "process = '/process/data'\nproc = 'the /proc folder'",
    "def f(x):\n    '''Run the cell again (see run_cell in the text).'''\n    return x",
    "%matplotlib inline\n%timeit f(1)\n!pip list\nhelp?",
    "get_ipython().run_line_magic('matplotlib', 'inline')",
    "import copy\nother = copy.deepcopy(gm)\nobjects = {}\nobjects['a'] = other",
]


@pytest.mark.parametrize("source", HONEST)
def test_honest_code_gets_no_note(source: str):
    assert told("import torch\nimport numpy", source) == ""


@pytest.mark.parametrize("folder", ["source", "release", "solutions"])
def test_no_lesson_gets_a_note(folder: str):
    paths = sorted((ROOT / folder).glob("*/*.ipynb"))
    assert paths
    for path in paths:
        cells = nbformat.read(path, as_version=4).cells
        assert told(*(c.source for c in cells if c.cell_type == "code")) == "", path


def test_no_right_answer_of_the_bank_gets_a_note():
    paths = sorted((ROOT / "tests" / "answers").glob("*/*/accept_*.py"))
    assert len(paths) > 30
    for path in paths:
        assert told(Path(path).read_text(encoding="utf-8")) == "", path


def test_looking_has_an_end_however_the_source_is_made():
    doubling = "a0 = 'a'\n" + "".join(f"a{n + 1} = a{n} + a{n}\n" for n in range(60)) + "getattr(x, a60)"
    loops = "a = b\nb = a\nc = getattr(a, c)\na.b.c = c\nc()()()"
    texts = "x = '" + "a" * 99_000 + "'\n" + "getattr(m, x + x)\n" * 50
    for source in (doubling, loops, texts, "exec(" * 80 + "'x'" + ")" * 80):
        look([source])
        find_shortcuts([source, f"{F}a60 + a + c"], "f", FORBIDDEN)
    reader = Reader([parse_cell(doubling)])
    assert reader.texts(parse_cell("a60").body[0]) == set()


def test_too_much_source_is_told_and_short_cells_are_looked_at():
    assert "too much source" in told("x = 1\n" * 300_000) and "ctypes" in told("x = 1\n" * 300_000, "import ctypes")


def test_a_setting_is_no_replaced_part_and_what_stands_beside_it_is():
    assert look(["import torch\nfor name in ['qnnpack']:\n    torch.backends.quantized.engine = name"]) == []
    (note,) = look(["import torch\ntorch.backends.quantized.is_available = lambda: True"])
    assert "torch.backends.quantized.is_available" in note.message
