"""The packages of a container: the kit's dependencies in exactly the versions of requirements.lock, and no others."""

import re
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from common.i18n import _

DISTRIBUTION = "pt2e-kit"
EXTRAS = ("instructor",)
UNFROZEN = ("setuptools",)
"""What is needed but left out by `pip freeze`, and so by the lock: in the version that is here."""
GPU_ONLY = re.compile(r"^(nvidia-|cuda-|triton$|pytorch-triton)")


def pins(lock: Path, backends_lock: Path | None = None) -> list[str]:
    """Return the lines of the lock that grading needs: all that the kit depends on with `EXTRAS`, directly or not.

    With `backends_lock` also what the extra `backends` adds, for lessons that run ExecuTorch or ONNX Runtime.

    Raises:
        FileNotFoundError: there is no lock: this is no checkout of the kit.
        LookupError: a package is needed that the lock does not name.
    """
    locks = [lock, backends_lock] if backends_lock else [lock]
    for path in locks:
        if not path.is_file():
            text = _("an autograder is made from a checkout of the kit: there is no {path}")
            raise FileNotFoundError(text.format(path=path))
    locked = {name: f"{name}=={metadata.version(name)}" for name in UNFROZEN}
    for line in [line for path in locks for line in path.read_text(encoding="utf-8").splitlines()]:
        if line and not line.startswith("#"):
            locked[canonicalize_name(line.partition("==")[0])] = line
    needed = _closure(DISTRIBUTION, (*EXTRAS, *(["backends"] if backends_lock else [])), locked)
    return [line for name, line in locked.items() if name in needed]


def _closure(root: str, extras: tuple[str, ...], locked: dict[str, str]) -> set[str]:
    """Names of what a distribution needs. Those that are not installed here count for nothing, unless they are locked."""
    found: set[str] = set()
    waiting = [(root, extra) for extra in ("", *extras)]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        for requirement in _requirements(name, extra):
            needed = canonicalize_name(requirement.name)
            if GPU_ONLY.match(needed):
                continue
            if needed not in locked:
                text = _("{name} needs {needed}, which requirements.lock does not name; run `make lock`")
                raise LookupError(text.format(name=name, needed=needed))
            found.add(needed)
            for pair in [(needed, ""), *((needed, e) for e in requirement.extras)]:
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
    return found


def _requirements(name: str, extra: str) -> list[Requirement]:
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    found = map(Requirement, lines)
    return [r for r in found if r.marker is None or (r.marker.evaluate({"extra": extra}) and _concerns(r, extra))]


def _concerns(requirement: Requirement, extra: str) -> bool:
    """Whether it belongs to this extra: those of the distribution itself come with the extra "" already."""
    return not extra or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}))
