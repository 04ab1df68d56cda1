"""Write requirements.lock: exact versions of all that the project needs. Run it with `make lock`.

It installs the project with its `dev` extra in a fresh virtual environment and asks `pip freeze`
what is there. torch is written without its local version (`+cpu`), and the packages that only a
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

GPU_ONLY = re.compile(r"^(nvidia-|cuda-|triton\b|pytorch-triton)")
EXACT = re.compile(r"^[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+$")

HEADER = """\
# Exact versions for Linux, made by tools/make_lock.py (pip freeze in a fresh environment): do not edit, run `make lock`.
# torch stands without a local version, and packages that only its GPU build needs are left out.
# On macOS and Windows use it as a constraint: python -m pip install -c requirements.lock -e .
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


def freeze_in_fresh_environment(folder: Path) -> str:
    """Install the project with its dev tools in `folder`; return what `pip freeze` says, the project left out."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{ROOT}[dev]"], check=True)
    command = [python, "-m", "pip", "freeze", "--exclude", "pt2e-kit"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Make the lock anew and say how many packages it names."""
    with tempfile.TemporaryDirectory(prefix="pt2e-lock-") as folder:
        lines = lock_lines(freeze_in_fresh_environment(Path(folder)))
    LOCK.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{LOCK.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
