"""What a student's code has put into libraries is put back before a plain test runs, and found without a look at each."""

import json
import subprocess
import sys

import pytest

CHANGES = {
    "a function replaced": ("json.dumps = lambda *a, **k: ''", "json.dumps(1) == '1'", "json.dumps"),
    "a function replaced by another of the library": ("math.isclose = math.gcd", "not math.isclose(2, 4)", None),
    "a built-in replaced": ("builtins.all = lambda values: True", "not all([0])", "builtins.all"),
    "a function's code replaced": (
        "np.testing.assert_allclose.__code__ = (lambda *a, **k: None).__code__",
        "raises(lambda: np.testing.assert_allclose(1, 2))",
        "numpy.testing._private.utils.assert_allclose",
    ),
    "a function's code replaced by the library's own": (
        "json.loads.__code__ = json.dumps.__code__",
        "json.loads('1') == 1",
        "json.loads",
    ),
    "what a method does": (
        "unittest.TestCase.assertEqual.__code__ = (lambda self, a, b, msg=None: None).__code__",
        "raises(lambda: unittest.TestCase().assertEqual(1, 2))",
        "unittest.case.TestCase.assertEqual",
    ),
    "a default value replaced": (
        "json.loads.__kwdefaults__ = {**json.loads.__kwdefaults__, 'parse_int': lambda text: 7}",
        "json.loads('1') == 1",
        None,
    ),
    "a default value changed in place": (
        "json.dumps.__kwdefaults__['cls'] = type('C', (), {'__init__': lambda s, **k: None, 'encode': lambda s, o: ''})",
        "json.dumps(1) == '1'",
        None,
    ),
    "a method replaced": (
        "unittest.TestCase.assertTrue = lambda *a: None",
        "raises(lambda: unittest.TestCase().assertTrue(False))",
        "unittest.case.TestCase.assertTrue",
    ),
    "a method replaced by another of the library": (
        "unittest.TestCase.assertIs = unittest.TestCase.assertIsNotNone",
        "raises(lambda: unittest.TestCase().assertIs(1, 2))",
        None,
    ),
    "a method taken out": (
        "del unittest.TestCase.assertIsNone",
        "raises(lambda: unittest.TestCase().assertIsNone(1))",
        None,
    ),
    "a method put in": (
        "unittest.TestCase.__getattribute__ = lambda self, name: (lambda *a: None)",
        "raises(lambda: unittest.TestCase().fail('x'))",
        "unittest.case.TestCase.__getattribute__",
    ),
    "a module replaced": (
        "import types; sys.modules['json'] = types.ModuleType('json')",
        "__import__('json').dumps(1) == '1'",
        "json",
    ),
    "a module taken out": ("del sys.modules['json']", "__import__('json') is json", None),
}

PROGRAM = """
import builtins, json, math, os, sys, unittest
import numpy as np, numpy.testing
from pt2e_kit.inside import pristine, untouched
if {slowly}:
    untouched.can_read = lambda: False
changes = json.loads({changes!r})
snapshot = pristine.Snapshot()
assert (snapshot._words is None) == ({slowly} or not untouched.can_read())
def raises(call):
    try:
        call()
    except AssertionError:
        return True
    return False
dumps, found = json.dumps, {{}}
for name, (change, holds, _told) in changes.items():
    exec(compile(change, "<ipython-input-1>", "exec"), globals())
    told = snapshot.restore()
    found[name] = [bool(eval(holds)), told, snapshot.restore()]
print(dumps(found))
"""


@pytest.fixture(scope="module", params=["by memory", "by a look at each"])
def restored(request: pytest.FixtureRequest) -> dict[str, list]:
    text = PROGRAM.format(changes=json.dumps(CHANGES), slowly=request.param == "by a look at each")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CHANGES)
def test_it_is_put_back(restored: dict[str, list], name: str):
    works, told, told_again = restored[name]
    assert works
    assert told == ([CHANGES[name][2]] if CHANGES[name][2] else [])
    assert told_again == []


def test_python_lies_in_memory_as_expected_here():
    """Where it does not, grading is slower and as safe; a new Python shows up here."""
    from pt2e_kit.inside import untouched

    if not untouched.can_read():
        pytest.skip(f"Python {sys.version.split()[0]} is built in another way: libraries are looked through one by one")

    def watched(a: int = 1, *, b: int = 2) -> int:
        return a + b

    words = untouched.Words([untouched.address_of_version(json), *untouched.addresses_of_fields(watched)])
    assert words.changed() == []
    watched.__defaults__ = (5,)
    assert len(words.changed()) == 1
    assert untouched.Words([]).changed() == []
