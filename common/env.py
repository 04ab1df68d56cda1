"""What machine is this, and what can it do: versions, threads, backends.

Importing this module does not load torch; the functions do when they need it.
"""

import importlib.util
import logging
import os
import platform
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING

from common.i18n import _

if TYPE_CHECKING:
    from torch.profiler import profile

THREADS = 1
"""Results depend on the number of threads (sums are taken in another order), so the course uses one."""


@contextmanager
def quiet_imports() -> Iterator[None]:
    """Silence what torch and torchao write to stderr while they are imported.

    The noise comes at import: levels set afterwards are too late.
    """
    previous = logging.root.manager.disable
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logging.disable(previous)


def quiet() -> None:
    """Import torch and torchao without their start-up messages, and use one thread.

    Safe to call more than once.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with quiet_imports():
        import torch

        import common.pt2e  # noqa: F401  (torchao writes three lines to stderr on its first import)
    torch.set_num_threads(THREADS)
    warnings.filterwarnings("ignore", module=r"torch\..*|torchao\..*")
    # torch 2.13 raises this one from inside copy.deepcopy of an exported graph.
    warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)`", category=FutureWarning)


def version_of(package: str) -> str | None:
    """Return the installed version of a distribution, or None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions() -> dict[str, str]:
    """Return the versions that a result depends on: ``{"python": "3.11.7", "torch": …, "torchao": …}``."""
    found = {name: version_of(name) for name in ("torch", "torchao", "pt2e-kit")}
    return {"python": platform.python_version()} | {k: v for k, v in found.items() if v}


def machine() -> str:
    """Return the platform in short, for example ``"Linux x86_64"``."""
    return f"{platform.system()} {platform.machine()}"


def has_dot() -> bool:
    """Whether graphviz's program `dot` can be found; without it graphs are drawn another way."""
    return shutil.which("dot") is not None


def has_module(name: str) -> bool:
    """Whether a Python module can be imported, without importing it."""
    return importlib.util.find_spec(name) is not None


def has_cxx_compiler() -> bool:
    """Whether a C++ compiler is on the path (torch.compile needs one on the CPU)."""
    return any(shutil.which(name) for name in (os.environ.get("CXX") or "c++", "g++", "clang++", "cl"))


def env_summary() -> str:
    """Return one line on this machine: platform, versions, threads, and torch's CPU libraries."""
    import torch

    return " | ".join(
        [
            machine(),
            f"Python {platform.python_version()}",
            f"torch {torch.__version__}",
            f"torchao {version_of('torchao') or _('missing')}",
            f"threads={torch.get_num_threads()}",
            f"mkldnn={torch.backends.mkldnn.is_available()}",
            f"nnpack={torch.backends.nnpack.is_available()}",
        ]
    )


@contextmanager
def cpu_profile() -> "Iterator[profile]":
    """Profile what runs inside on the CPU: afterwards ``prof.events()`` holds one event for each call of an op.

    The profiler's own messages, which go to the C-level stderr, are kept away from the notebook.
    """
    from torch.profiler import ProfilerActivity, profile

    with _stderr_silenced(), profile(activities=[ProfilerActivity.CPU]) as prof:
        yield prof


@contextmanager
def _stderr_silenced() -> Iterator[None]:
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)
