"""Where things lie in the sandbox."""

import shutil
from dataclasses import dataclass
from pathlib import Path

HELPERS = Path("/helpers")
"""The course's helper files, read-only; each run gets a copy of its own."""


@dataclass(frozen=True)
class Places:
    """The folders of a run."""

    scratch: Path

    @property
    def work(self) -> Path:
        """Where the notebook's code starts, with the course's helper files."""
        return self.scratch / "work"

    @property
    def evidence(self) -> Path:
        """Where probes leave their evidence."""
        return self.scratch / "evidence"

    @property
    def own(self) -> tuple[Path, ...]:
        """All folders that the student's code may write to."""
        return (self.work, self.evidence, self.scratch / "home", self.scratch / "tmp")

    def make(self, helpers: Path | None) -> None:
        """Make the folders, and copy the course's helper files into that for work."""
        for path in (self.work, self.evidence, self.scratch / "home" / "ipython", self.scratch / "tmp"):
            path.mkdir(parents=True, exist_ok=True)
        if helpers is not None:
            shutil.copytree(helpers, self.work, dirs_exist_ok=True)

    def environment(self) -> dict[str, str]:
        """Variables that the student's process gets."""
        home = str(self.scratch / "home")
        return {
            "HOME": home,
            "IPYTHONDIR": str(self.scratch / "home" / "ipython"),
            "TMPDIR": str(self.scratch / "tmp"),
            "TORCHINDUCTOR_CACHE_DIR": str(self.scratch / "tmp" / "inductor"),
            "MPLCONFIGDIR": home,
            "PT2E_KIT_EVIDENCE": str(self.evidence),
        }
