"""requirements.lock: exact, for every platform, and in the ranges of pyproject.toml."""

import importlib.util
import re
import tomllib
from types import ModuleType

import pytest
from commands import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
PINS = [line for line in LINES if not line.startswith("#")]
LOCKED = {str(canonicalize_name(name)): version for name, _is, version in (p.partition("==") for p in PINS)}
WANTED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]


@pytest.fixture(scope="module")
def make_lock() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_lock", ROOT / "tools" / "make_lock.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_line_is_an_exact_version() -> None:
    assert len(PINS) > 100
    assert len(LOCKED) == len(PINS), "a package stands twice"
    for line in PINS:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.!]*", line), line


def test_torch_is_the_same_for_cpu_and_gpu() -> None:
    assert LOCKED["torch"] == "2.13.0"
    gpu_only = [n for n in LOCKED if n.startswith(("nvidia", "cuda", "triton", "pytorch-triton"))]
    assert not gpu_only


def test_it_names_its_tool_and_no_place() -> None:
    assert "tools/make_lock.py" in LINES[0]
    text = "\n".join(LINES)
    assert not re.search(r"://|@|--(extra-)?index|--find-links|file:", text)
    assert "pt2e-kit" not in LOCKED


@pytest.mark.parametrize("wanted", WANTED)
def test_it_is_in_the_ranges_of_the_project(wanted: str) -> None:
    requirement = Requirement(wanted)
    name = str(canonicalize_name(requirement.name))
    assert name in LOCKED, f"{name} is not locked; run `make lock`"
    assert requirement.specifier.contains(LOCKED[name], prereleases=True)


def test_what_pip_freeze_says_becomes_the_lock(make_lock: ModuleType) -> None:
    freeze = "torch==2.13.0+cpu\nnvidia-cublas-cu12==12.8\n# a remark\n\ntriton==3.4\nAttrs==26.1.0\ncuda-python==1\n"
    assert make_lock.lock_lines(freeze) == ["Attrs==26.1.0", "torch==2.13.0"]
    with pytest.raises(ValueError, match="no exact version"):
        make_lock.lock_lines("pkg @ file:///somewhere/pkg.whl")


def test_the_lock_is_as_its_tool_writes_it(make_lock: ModuleType) -> None:
    assert "\n".join(LINES) + "\n" == make_lock.HEADER + "\n".join(make_lock.lock_lines("\n".join(PINS))) + "\n"
