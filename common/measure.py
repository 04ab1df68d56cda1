"""Run one measuring program in a limited process of its own: what it is given may be a file of a stranger.

A backend's runtime is native code. A file that is broken, or was made to break it, can end the process that loads it.
So a judge hands such a file to another process: with limits on time, memory and size of files, with nothing of this
process's environment, and in bubblewrap (no network, all it can see is read-only) where that works. Whatever
happens there comes back as an `Outcome`.

A measuring program is a module with a function ``run(values, tensors, files) -> (values, tensors)``: plain values,
tensors by name and bytes by name go in; plain values and tensors come out. Request and reply are files, JSON and
safetensors: nothing is unpickled on either side.

The same module is the child: ``python -m common.measure MODULE FOLDER``.
"""

import contextlib
import importlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from common.i18n import _

if TYPE_CHECKING:
    import torch

Status = Literal["done", "raised", "died", "timeout", "malformed", "broken"]
_KIT_INSIDE = Path("/kit")
_MAX_MESSAGE = 2000


@dataclass(frozen=True)
class MeasureLimits:
    """What one run may use. Loading torch alone takes a second or two."""

    seconds: float = 20
    """Wall-clock time; then the process is ended."""
    cpu_seconds: int = 20
    memory_bytes: int = 2 * 2**30
    file_bytes: int = 32 * 2**20
    """The largest file that it may write, and the largest reply that is read."""


@dataclass(frozen=True)
class Outcome:
    """What came out of a run.

    `status`: "done"; "raised": the program raised (see `message`); "died": the process ended early (a crash, or a
    limit); "timeout"; "malformed": its reply is missing, too large or cannot be read; "broken": the program did not
    even start, which is nobody's file but our side: a judge should raise then, and not give 0.
    """

    status: Status
    values: dict[str, Any] = field(default_factory=dict)
    tensors: "dict[str, torch.Tensor]" = field(default_factory=dict)
    message: str = ""

    @property
    def done(self) -> bool:
        """Whether the program came to its end."""
        return self.status == "done"


def measure(
    program: str,
    values: Mapping[str, Any] | None = None,
    tensors: "Mapping[str, torch.Tensor] | None" = None,
    files: Mapping[str, bytes] | None = None,
    limits: MeasureLimits | None = None,
) -> Outcome:
    """Run the measuring program (a module's name, such as ``"common.backends.pte"``) and return what came out.

    Never raises for what the program or its files do.
    """
    limits = limits or MeasureLimits()
    folder = Path(tempfile.mkdtemp(prefix="pt2e-kit-measure-"))
    try:
        _write_request(folder, values or {}, tensors or {}, files or {}, limits)
        status, message = _run(program, folder, limits)
        if status != "done":
            started = (folder / "out" / "started").exists()
            return Outcome(status if started or status == "timeout" else "broken", message=message)
        return _read_reply(folder / "out", limits.file_bytes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_request(
    folder: Path,
    values: Mapping[str, Any],
    tensors: "Mapping[str, torch.Tensor]",
    files: Mapping[str, bytes],
    limits: MeasureLimits,
) -> None:
    import safetensors.torch

    (folder / "in").mkdir()
    (folder / "out").mkdir()
    request = {
        "values": dict(values),
        "files": list(files),
        "limits": {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_DATA": limits.memory_bytes,
            "RLIMIT_FSIZE": limits.file_bytes,
            "RLIMIT_CORE": 0,
        },
    }
    (folder / "in" / "request.json").write_text(json.dumps(request), encoding="utf-8")
    plain = {name: t.detach().to("cpu").contiguous().clone() for name, t in tensors.items()}
    (folder / "in" / "tensors.safetensors").write_bytes(safetensors.torch.save(plain))
    for number, data in enumerate(files.values()):
        (folder / "in" / f"file_{number}").write_bytes(data)


def _run(program: str, folder: Path, limits: MeasureLimits) -> tuple[Status, str]:
    command = [*_bubblewrap(folder), os.path.normpath(sys.executable), "-m", "common.measure", program, str(folder)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
    except OSError as error:
        return "broken", str(error)
    try:
        code = process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        return "timeout", _("it did not end within {n:g} s").format(n=limits.seconds)
    finally:
        _end(process)
    if code == 0:
        return "done", ""
    number = -code if code < 0 else code - 128  # bubblewrap, as a shell, gives 128 + the signal
    try:
        return "died", _("its process was ended by {signal}").format(signal=signal.Signals(number).name)
    except ValueError:
        return "died", _("its process ended with code {code}").format(code=code)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process, and what it may have started: it leads a group of its own."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()


def _read_reply(out: Path, limit: int) -> Outcome:
    import safetensors.torch

    text, block = _read(out / "reply.json", limit), _read(out / "tensors.safetensors", limit)
    if text is None or block is None:
        return Outcome("malformed", message=_("its reply is missing or too large"))
    try:
        reply = json.loads(text)
        error, values = reply["error"], reply["values"]
        if not isinstance(values, dict) or not (error is None or isinstance(error, str)):
            raise TypeError("not a reply")
        if error is not None:
            return Outcome("raised", message=error[:_MAX_MESSAGE])
        return Outcome("done", values, safetensors.torch.load(block))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Outcome("malformed", message=_("its reply cannot be read"))
    except Exception as error:  # safetensors has an exception of its own, which is none of these
        return Outcome("malformed", message=str(error)[:_MAX_MESSAGE])


def _read(path: Path, limit: int) -> bytes | None:
    """Return the bytes of a regular file of at most `limit` bytes, or None; never follows a link or waits."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


# How the process is kept apart


@cache
def _bubblewrap_program() -> str | None:
    """The path of a bubblewrap that works here: inside a sandbox or a container it may be there and not work."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    try:
        command = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
        works = subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return None
    return program if works else None


def _bubblewrap(folder: Path) -> list[str]:
    """The beginning of the command: nothing where bubblewrap does not work; then only the limits hold."""
    program = _bubblewrap_program()
    if program is None:
        return []
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534"]
    words += ["--hostname", "sandbox", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in ("usr", "bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            words += ["--ro-bind", str(path), str(path)]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives"):
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path in _libraries():
        words += _seen(path, path)
    words += _seen(Path(__file__).parent, _KIT_INSIDE / "common")
    words += [*_seen(folder / "in", folder / "in"), "--bind", str(folder / "out"), str(folder / "out")]
    return [*words, "--remount-ro", "/", "--chdir", str(folder / "out")]


def _libraries() -> list[Path]:
    """Where Python and the packages lie, other than below /usr. The folder of the course is not among them."""
    found = [Path(sys.base_prefix), Path(sys.prefix)]
    found += _package_folders()
    kept: list[Path] = []
    for path in found:
        seen_already = path.is_relative_to("/usr") or any(path.is_relative_to(other) for other in kept)
        if path.is_dir() and not seen_already:
            kept.append(path)
    return kept


def _package_folders() -> list[Path]:
    return [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]


def _seen(path: Path, place: Path) -> list[str]:
    above = [folder for folder in reversed(place.parents) if folder != Path("/")]
    made = [word for folder in above for word in ("--perms", "0755", "--dir", str(folder))]
    return [*made, "--ro-bind", str(path), str(place)]


def _environment(folder: Path) -> dict[str, str]:
    """All that the process gets to know of this one's environment."""
    kit = _KIT_INSIDE if _bubblewrap_program() else Path(__file__).parent.parent
    own = ("/usr", sys.prefix, sys.base_prefix)  # Python finds these by itself
    extra = [str(p) for p in _package_folders() if not any(p.is_relative_to(prefix) for prefix in own)]
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "PYTHONPATH": os.pathsep.join([str(kit), *extra]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",
        "HOME": str(folder / "out"),
        "TMPDIR": str(folder / "out"),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
    }


# The child


def _limit(limits: Mapping[str, int]) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in limits.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, value))


def _child(program: str, folder: Path) -> None:
    source, out = folder / "in", folder / "out"
    request = json.loads((source / "request.json").read_text(encoding="utf-8"))
    _limit(request["limits"])

    import safetensors.torch

    tensors = safetensors.torch.load_file(source / "tensors.safetensors")
    files = {name: (source / f"file_{n}").read_bytes() for n, name in enumerate(request["files"])}
    module = importlib.import_module(program)
    if hasattr(module, "prepare"):
        module.prepare()  # what may fail here is not the files' fault
    (out / "started").touch()
    try:
        values, made = module.run(request["values"], tensors, files)
        reply: dict[str, Any] = {"error": None, "values": values}
        block = safetensors.torch.save({name: t.detach().contiguous().clone() for name, t in made.items()})
        text = json.dumps(reply)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"[:_MAX_MESSAGE]
        text, block = json.dumps({"error": message, "values": {}}), safetensors.torch.save({})
    (out / "tensors.safetensors").write_bytes(block)
    (out / "reply.json").write_text(text, encoding="utf-8")
    os._exit(0)  # a native library's own end is nothing that we wait for


if __name__ == "__main__":
    _child(sys.argv[1], Path(sys.argv[2]))
