"""What stands for a container in tests: we are root, there are no sandboxes further in, and every user reaches Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, environment

PROGRAM = shutil.which("bwrap")
can_be_a_container = pytest.mark.skipif(
    PROGRAM is None or not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root and bubblewrap"
)


def inside(command: list[str], folder: Path, *binds: tuple[Path, str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command as root of a container whose file system is ours, without network and without bubblewrap.

    `binds` are folders and where they are in it. Folders on the way to Python and to the kit can be entered by all.
    """
    assert PROGRAM is not None
    arguments = [PROGRAM, "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net", "--unshare-pid"]
    arguments += ["--perms", "0755", "--tmpfs", "/root"]
    for path in dict.fromkeys((Path(sys.base_prefix), Path(sys.prefix), ROOT)):
        if path.is_relative_to("/root"):
            above = [p for p in reversed(path.parents) if Path("/root") in p.parents]
            arguments += [word for p in above for word in ("--perms", "0755", "--dir", str(p))]
            arguments += ["--ro-bind", str(path), str(path)]
    for path, place in binds:
        arguments += ["--bind", str(path), place]
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("sh", "bash", "chmod", "rm", "cp", "env", "dirname"):
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(str(shutil.which(name)))
    path = os.pathsep.join([str(Path(sys.executable).parent), str(programs)])
    kept = {k: v for k, v in environment(**more).items() if k in (*more, "LANG", "XDG_DATA_HOME", "COLUMNS")}
    return subprocess.run(
        [*arguments, "--chdir", str(folder), *command],
        env=kept | {"PATH": path, "HOME": "/root"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def python(script: str, folder: Path, *binds: tuple[Path, str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python in it, with the kit and what tests share at hand."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return inside([sys.executable, "-c", script], folder, *binds, PYTHONPATH=path, **more)
