"""The command that starts a student's kernel: inside bubblewrap where it is present, with limits in any case."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import common
import pt2e_kit.inside
from common.i18n import _
from pt2e_kit.grading.temporary import new_folder
from pt2e_kit.inside import isolate
from pt2e_kit.inside.places import HELPERS, Places
from pt2e_kit.settings import Limits

KIT_INSIDE = Path("/kit")
NOBODY = "65534"

_LIMITED = """
import os, resource, sys
os.environ.pop("JPY_PARENT_PID", None)  # its parent is process 1 here, which ipykernel takes for "parent is gone"
for name, value in {limits!r}:
    kind = getattr(resource, name, None)
    if kind is not None:
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


class NoSandbox(RuntimeError):
    """There is no sandbox on this machine, and strangers' code is not run without one unless somebody says so."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "there is no sandbox here: bubblewrap is not installed, or this system does not allow what it needs. "
                "Install it (Debian, Ubuntu: apt-get install bubblewrap), or grade in a Linux container or virtual "
                "machine (docs/threat-model.md). For work of people you trust: --unsafe-no-sandbox."
            )
        )


@cache
def bubblewrap() -> str | None:
    """Return the path of a bubblewrap that works here, or None (not installed, or namespaces are not allowed)."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    try:
        subprocess.run(
            [program, "--unshare-all", "--ro-bind", "/", "/", "true"], check=True, capture_output=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return program


@cache
def another_user() -> bool:
    """Whether a student's process can at least be another user's than ours where there is no sandbox.

    We must be root, and every user must be able to reach Python, its libraries and the kit.
    """
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return False
    needed = (
        Path(sys.executable),
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(common.__file__),
        Path(isolate.__file__),
    )
    return all(_open_to_all(path.resolve()) for path in needed)


def _open_to_all(path: Path) -> bool:
    readable = path.stat().st_mode & 0o005 == 0o005 if path.is_dir() else path.stat().st_mode & 0o004
    return bool(readable) and all(folder.stat().st_mode & 0o001 for folder in path.parents)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the kernels of one submission; removed afterwards, whatever a student's code left in it."""
    folder = new_folder()
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder)
        except (OSError, RecursionError):  # folders without permissions, or nested by the thousand
            for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                subprocess.run([*command, "--", str(folder)], capture_output=True, timeout=120, check=False)


@dataclass(frozen=True)
class Sandbox:
    """How one kernel is started. `scratch` is the only folder that it can write to."""

    scratch: Path
    limits: Limits
    enabled: bool

    @classmethod
    def new(cls, parent: Path, source: Path, limits: Limits, *, isolated: bool) -> "Sandbox":
        """Return a sandbox with a new folder in `parent`, and the course's helper files in it.

        Each kernel gets its own: an earlier one may have removed its folders, or put links in their place.
        """
        sandbox = cls(Path(tempfile.mkdtemp(prefix="k-", dir=parent)), limits, isolated)
        Places(sandbox.scratch).make(None)
        copy_helpers(source, sandbox.work)
        return sandbox

    @property
    def work(self) -> Path:
        """The kernel's working folder, with the course's helper files."""
        return Places(self.scratch).work

    @property
    def evidence(self) -> Path:
        """Where the probes leave their evidence."""
        return Places(self.scratch).evidence

    def command(self, connection_file: str = "{connection_file}") -> list[str]:
        """Return the command of the kernel, as a kernelspec's argv."""
        kernel = [_python(), "-c", _LIMITED.format(limits=self._limits()).strip()]
        kernel += ["-m", "ipykernel_launcher", "-f", connection_file, "--HistoryManager.enabled=False"]
        return [*self._bubblewrap(), *kernel] if self.enabled else kernel

    def environment(self) -> dict[str, str]:
        """Return the whole environment of the kernel: nothing of the grader's own."""
        kit = KIT_INSIDE if self.enabled else Path(common.__file__).parent.parent
        path = os.pathsep.join([str(self.work), str(kit)])
        return _environment(path) | Places(self.scratch).environment()

    def _limits(self) -> list[tuple[str, int]]:
        limits = self.limits
        return [
            ("RLIMIT_CPU", limits.cpu_seconds),
            ("RLIMIT_DATA", limits.memory_bytes),
            ("RLIMIT_NPROC", limits.processes),
            ("RLIMIT_NOFILE", limits.open_files),
            ("RLIMIT_FSIZE", limits.file_bytes),
            ("RLIMIT_CORE", 0),
        ]

    def _bubblewrap(self) -> list[str]:
        program = bubblewrap()
        assert program is not None
        arguments = [program, "--unshare-all", "--die-with-parent", "--uid", NOBODY, "--gid", NOBODY]
        arguments += [*_visible(), "--ro-bind", str(Path(common.__file__).parent), str(KIT_INSIDE / "common")]
        arguments += ["--bind", str(self.scratch), str(self.scratch), "--remount-ro", "/", "--chdir", str(self.work)]
        return arguments


def _python() -> str:
    """Our interpreter: not resolved, since a virtual environment is known by its link; without dots in its path,
    because the folders that they lead through are not there."""
    return os.path.normpath(sys.executable)


def _environment(python_path: str) -> dict[str, str]:
    """Variables that every process in the sandbox gets: nothing of the grader's own."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "LANG": "C.UTF-8",
        "PYTHONPATH": python_path,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _visible() -> list[str]:
    """Arguments of bubblewrap: what of this machine can be seen, all of it read-only."""
    arguments = ["--hostname", "sandbox", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in ("usr", "bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            arguments += ["--ro-bind", str(path), str(path)]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts", "localtime"):
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for prefix in dict.fromkeys((sys.base_prefix, sys.prefix)):
        if not Path(prefix).is_relative_to("/usr"):
            arguments += _seen(Path(prefix), Path(prefix))
    return arguments


def _seen(path: Path, place: Path) -> list[str]:
    """Arguments that bind a file or folder read-only; every user can reach it, whoever may enter the folders above."""
    above = [folder for folder in reversed(place.parents) if folder != Path("/")]
    made = [word for folder in above for word in ("--perms", "0755", "--dir", str(folder))]
    return [*made, "--ro-bind", str(path), str(place)]


# The warm process: what it imports is ours, so it may keep the rights that it needs to separate its children.
_RIGHTS = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_CHOWN", "CAP_NET_ADMIN")


def zygote_command(handle: int, libraries: list[str], helpers: Path, *, isolated: bool) -> list[str]:
    """Return the command of a warm process that listens on the socket `handle`; see `pt2e_kit.inside.zygote`."""
    mode = "isolated" if isolated else "open"
    python = [_python(), "-m", "pt2e_kit.inside.zygote", str(handle), mode, *libraries]
    if not isolated:
        return python
    program = bubblewrap()
    assert program is not None
    arguments = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() == 0:
        arguments += ["--cap-drop", "ALL", *(word for right in _RIGHTS for word in ("--cap-add", right))]
    else:
        arguments += ["--unshare-user", "--uid", NOBODY, "--gid", NOBODY]
    arguments += [*_visible(), "--dir", str(isolate.SCRATCH), *_seen(helpers, HELPERS)]
    arguments += _seen(Path(common.__file__).parent, KIT_INSIDE / "common")
    for path in (Path(pt2e_kit.inside.__file__).parent, Path(pt2e_kit.__file__)):
        arguments += _seen(path, KIT_INSIDE / "pt2e_kit" / path.name)
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", *python]


def zygote_environment(*, isolated: bool) -> dict[str, str]:
    """Return the whole environment of a warm process."""
    kit = KIT_INSIDE if isolated else Path(common.__file__).parent.parent
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return _environment(str(kit)) | {"HOME": "/tmp"} | threads


def processes_inside(pid: int) -> int:
    """Count the processes in the sandbox that the process `pid` has set up; 0 where that cannot be seen."""
    try:
        (first,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[:1]
        inside = Path(f"/proc/{first}/ns/pid").stat().st_ino
        if inside == Path("/proc/self/ns/pid").stat().st_ino:
            return 0  # no sandbox, or not yet
    except (OSError, ValueError):
        return 0
    count = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                count += (process / "ns" / "pid").stat().st_ino == inside
    return count


def copy_helpers(source: Path, work: Path) -> None:
    """Copy the course's helper files (all but notebooks) into the kernel's working folder."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
        if path.is_file() and path.suffix != ".ipynb" and not hidden:
            (work / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, work / relative)
