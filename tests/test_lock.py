"""The two locks: exact, for every platform, and in the ranges of pyproject.toml."""

import importlib.util
import re
import tomllib
from types import ModuleType

import pytest
from commands import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {
    name: (ROOT / name).read_text(encoding="utf-8").splitlines()
    for name in ("requirements.lock", "requirements-backends.lock")
}


def pins_of(name: str) -> list[str]:
    return [line for line in LOCKS[name] if not line.startswith("#")]


def versions_of(name: str) -> dict[str, str]:
    return {
        str(canonicalize_name(package)): version for package, _is, version in (p.partition("==") for p in pins_of(name))
    }


LOCKED = versions_of("requirements.lock")
BACKENDS = versions_of("requirements-backends.lock")
EXTRAS = PROJECT["optional-dependencies"]
WANTED = [*PROJECT["dependencies"], *EXTRAS["instructor"], *(w for w in EXTRAS["dev"] if not w.startswith("pt2e-kit["))]


@pytest.fixture(scope="module")
def make_lock() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_lock", ROOT / "tools" / "make_lock.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_is_an_exact_version(name: str) -> None:
    pins = pins_of(name)
    assert len(pins) > 10
    assert len(versions_of(name)) == len(pins), "a package stands twice"
    for line in pins:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.!]*", line), line


def test_torch_is_the_same_for_cpu_and_gpu() -> None:
    assert LOCKED["torch"] == "2.13.0"
    gpu_only = [n for n in (*LOCKED, *BACKENDS) if n.startswith(("nvidia", "cuda", "triton", "pytorch-triton"))]
    assert not gpu_only


@pytest.mark.parametrize("name", LOCKS)
def test_it_names_its_tool_and_no_place(name: str) -> None:
    text = "\n".join(LOCKS[name])
    assert "tools/make_lock.py" in text
    assert not re.search(r"://|@|--(extra-)?index|--find-links|file:", text)
    assert "pt2e-kit" not in versions_of(name)


@pytest.mark.parametrize("wanted", PROJECT["optional-dependencies"]["backends"])
def test_backends_stand_in_their_own_lock_only(wanted: str) -> None:
    requirement = Requirement(wanted)
    assert requirement.specifier.contains(BACKENDS[requirement.name], prereleases=True)
    assert not set(BACKENDS) & set(LOCKED), "the first lock fixes these already"


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


@pytest.mark.parametrize(
    ("name", "header"), [("requirements.lock", "HEADER"), ("requirements-backends.lock", "BACKENDS_HEADER")]
)
def test_the_lock_is_as_its_tool_writes_it(make_lock: ModuleType, name: str, header: str) -> None:
    lines = make_lock.lock_lines("\n".join(pins_of(name)))
    assert "\n".join(LOCKS[name]) + "\n" == getattr(make_lock, header) + "\n".join(lines) + "\n"
