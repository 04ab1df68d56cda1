"""Write requirements.lock and requirements-backends.lock: exact versions of what the project needs. `make lock` runs it.

It installs the project with its `dev` extra in a fresh virtual environment and asks `pip freeze`
what is there; then the `backends` extra on top, and what has come goes into the second lock. torch is written without its local version (`+cpu`), and the packages that only a
GPU build of torch needs are left out: so the same lock serves people who take a CPU wheel.
"""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
BACKENDS_LOCK = ROOT / "requirements-backends.lock"

GPU_ONLY = re.compile(r"^(nvidia-|cuda-|triton\b|pytorch-triton)")
EXACT = re.compile(r"^[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+$")

HEADER = """\
# Exact versions for Linux, made by tools/make_lock.py (pip freeze in a fresh environment): do not edit, run `make lock`.
# torch stands without a local version, and packages that only its GPU build needs are left out.
# On macOS and Windows use it as a constraint: python -m pip install -c requirements.lock -e .
"""
BACKENDS_HEADER = """\
# What the `backends` extra (ExecuTorch and ONNX Runtime, for m08 and m09) adds to requirements.lock: exact versions.
# Made by tools/make_lock.py: do not edit, run `make lock`. To install: make backends
"""


def lock_lines(freeze: str) -> list[str]:
    """Turn the text of `pip freeze` into the lines of the lock, without local versions and GPU packages.

    Raises:
        ValueError: a line that names no exact version (a path or an address), which must not be in a lock.
    """
    lines = []
    for line in freeze.splitlines():
        line = line.strip()
        if not line or line.startswith("#") or GPU_ONLY.match(line):
            continue
        if not EXACT.match(line):
            raise ValueError(f"pip freeze gives {line!r}, which is no exact version from a package index")
        lines.append(line.split("+", 1)[0])
    return sorted(lines, key=str.lower)


def freeze(python: Path, *install: str) -> list[str]:
    """Install with pip; return the lock's lines for all that is there then, the project left out."""
    subprocess.run([python, "-m", "pip", "install", "--quiet", *install], check=True)
    command = [python, "-m", "pip", "freeze", "--exclude", "pt2e-kit"]
    return lock_lines(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def write(lock: Path, header: str, lines: list[str]) -> None:
    """Write one lock and say how many packages it names."""
    lock.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{lock.name}: {len(lines)} packages")


def main() -> None:
    """Make both locks anew."""
    with tempfile.TemporaryDirectory(prefix="pt2e-lock-") as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        lines = freeze(python, f"{ROOT}[dev]")
        write(LOCK, HEADER, lines)
        # With the first lock as a constraint the extra changes none of its versions.
        added = freeze(python, "-c", str(LOCK), f"{ROOT}[backends]")
        write(BACKENDS_LOCK, BACKENDS_HEADER, [line for line in added if line not in lines])


if __name__ == "__main__":
    main()
