"""What the course can use on a machine: is it there, what is it for, how to get it.

`lesson` (in the student's notebook) and `pt2e-kit doctor` share these checks. Importing this module loads
nothing heavy; only the check for mkldnn imports torch.
"""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from common.env import has_cxx_compiler, has_module, version_of
from common.i18n import _

DISTRIBUTION = "pt2e-kit"


@dataclass(frozen=True)
class Found:
    """The result of one check. `version` is None where the part is missing or does not tell one."""

    present: bool
    version: str | None = None
    wanted: str | None = None
    """The version range asked for, when the installed version is outside of it."""

    @property
    def good(self) -> bool:
        """Whether the part can be used as it is."""
        return self.present and self.wanted is None


@dataclass(frozen=True)
class Part:
    """Something that a machine may lack."""

    id: str
    purpose: str
    """What it is for."""
    how: str
    """How to get it on this machine."""
    check: Callable[[], Found]
    required: bool = False
    """Whether nothing works without it."""
    substitute: str = ""
    """What happens without it, where that is something."""


def _system(debian: str, brew: str | None = None, windows: str | None = None) -> str:
    """The command that installs a program, for the system at hand."""
    name = platform.system()
    if name == "Darwin":
        return brew or _("not to be had on macOS")
    if name == "Windows":
        return windows or _("not to be had on Windows")
    return _("as root: apt-get install -y {name} (on Debian and Ubuntu)").format(name=debian)


@cache
def wanted_range(name: str) -> str:
    """Return the version range that this project asks for, such as ``"<0.19,>=0.18"``; "" where it has none."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        lines = []
    for line in lines:
        match = re.match(r"([A-Za-z0-9._-]+)\s*([^;]*)", line)
        if match and match[1].lower().replace("_", "-") == name:
            return match[2].strip()
    return ""


def _package(name: str) -> Callable[[], Found]:
    def check() -> Found:
        version = version_of(name)
        if version is None:
            return Found(False)
        wanted = wanted_range(name)
        return Found(True, version, None if _within(version, wanted) else wanted)

    return check


def _within(version: str, wanted: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(wanted).contains(version, prereleases=True)


def _python() -> Found:
    wanted = None if sys.version_info >= (3, 11) else ">=3.11"
    return Found(True, platform.python_version(), wanted)


def _program(name: str, *arguments: str) -> Callable[[], Found]:
    def check() -> Found:
        path = shutil.which(name)
        if path is None:
            return Found(False)
        try:
            done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.SubprocessError):
            return Found(False)
        number = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
        return Found(True, number[0] if number else None)

    return check


def _sandbox() -> Found:
    """bubblewrap counts only where it may make its namespaces: inside some containers it may not."""
    found = _program("bwrap", "--version")()
    if found.present:
        command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
        try:
            works = subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
        except (OSError, subprocess.SubprocessError):
            works = False
        if not works:
            return Found(False, found.version)
    return found


def _mkldnn() -> Found:
    if not has_module("torch"):
        return Found(False)
    import torch

    return Found(torch.backends.mkldnn.is_available())


_LOCK = _("make setup (or: python -m pip install -c requirements.lock -e .)")
_INSTRUCTOR = _("make setup (or: python -m pip install 'pt2e-kit[instructor]')")
_BACKENDS = _("make backends (or: python -m pip install 'pt2e-kit[backends]')")


def _parts() -> Iterable[Part]:
    yield Part("python", _("runs everything"), _("install Python 3.11 or newer"), _python, required=True)
    yield Part("torch", _("the nets and their graphs"), _LOCK, _package("torch"), required=True)
    yield Part("torchao", _("PT2E quantization"), _LOCK, _package("torchao"), required=True)
    yield Part("jupyterlab", _("opens the lessons"), _LOCK, _package("jupyterlab"), required=True)
    for name, purpose in (
        ("nbgrader", _("instructors: assignments, gradebook, formgrader; students: the Validate button")),
        ("otter-grader", _("instructors: the same exercises for otter and Gradescope")),
    ):
        yield Part(name, purpose, _INSTRUCTOR, _package(name), substitute=_("lessons and checks work all the same"))
    yield Part(
        "dot",
        _("draws pictures of graphs"),
        _system("graphviz", "brew install graphviz", "winget install graphviz"),
        _program("dot", "-V"),
        substitute=_("graphs are drawn in a plainer way"),
    )
    yield Part(
        "bubblewrap",
        _("the sandbox in which submissions run"),
        _system("bubblewrap"),
        _sandbox,
        substitute=_("submissions run with limits but without a sandbox: grade only people you trust"),
    )
    yield Part(
        "cxx",
        _("a C++ compiler, for torch.compile"),
        _system("g++", "xcode-select --install", _("install the Visual Studio Build Tools")),
        lambda: Found(has_cxx_compiler()),
        substitute=_("exercises with torch.compile are skipped"),
    )
    yield Part(
        "mkldnn",
        _("torch's int8 kernels on x86"),
        _("use a machine and a build of torch that have it"),
        _mkldnn,
        substitute=_("exercises that run int8 kernels are skipped"),
    )
    for name, purpose in (
        ("executorch", _("module m08: .pte files that run")),
        ("onnx", _("module m09: ONNX files")),
        ("onnxscript", _("module m09: export to ONNX")),
        ("onnxruntime", _("module m09: running ONNX files")),
    ):
        yield Part(name, purpose, _BACKENDS, _package(name), substitute=_("its exercises are skipped"))


PARTS: dict[str, Part] = {part.id: part for part in _parts()}
"""All parts by id, in the order in which `doctor` lists them."""


def missing_parts(ids: Iterable[str]) -> list[Part]:
    """Return the parts among `ids` that this machine lacks or has in a version that does not fit.

    Raises:
        KeyError: an id that is not in PARTS.
    """
    return [part for part in (PARTS[i] for i in ids) if not part.check().good]
