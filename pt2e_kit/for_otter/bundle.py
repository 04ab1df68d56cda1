"""What an autograder zip carries for the engine, and where it lies when it is unpacked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pt2e_kit.settings import read_class_seed

FOLDER = "pt2e_kit_files"
"""Below `files/` of the zip: all that `otter grade` puts into its container besides otter's own files."""


PLUGIN = "pt2e_kit.for_otter.plugin.KitPlugin"
"""As otter_config.json names our plugin."""


@dataclass(frozen=True)
class Bundle:
    """The unpacked zip; `root` is the folder that holds run_autograder and otter_config.json."""

    root: Path

    @property
    def folder(self) -> Path:
        """Where our files are."""
        return self.root / "files" / FOLDER

    @property
    def kit(self) -> Path:
        """The packages `common` and `pt2e_kit`, as they were when the zip was made."""
        return self.folder / "kit"

    @property
    def seed_file(self) -> Path:
        """The seed of the hidden cases: one for each zip, derived from the class seed."""
        return self.folder / "seed"

    @property
    def tests(self) -> Path:
        """otter's test files: names and points."""
        return self.root / "tests"

    @property
    def source(self) -> Path:
        """The folder with the instructor's notebook and helper files; its name is that of the assignment.

        Raises:
            FileNotFoundError: this is no autograder of ours.
        """
        folders = sorted(p for p in (self.folder / "source").glob("*") if p.is_dir())
        if len(folders) != 1:
            raise FileNotFoundError(f"{self.folder / 'source'}: this is no autograder that pt2e-kit made")
        return folders[0]

    @property
    def unsafe_no_sandbox(self) -> bool:
        """Whether whoever made the zip has said that submissions may run without any boundary of ours."""
        try:
            config = json.loads((self.root / "otter_config.json").read_text(encoding="utf-8"))
            return config["plugins"][0][PLUGIN]["unsafe_no_sandbox"] is True
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return False

    def seed(self) -> str:
        """The seed of the hidden cases.

        Raises:
            FileNotFoundError: this is no autograder of ours.
        """
        if not self.seed_file.is_file():
            raise FileNotFoundError(f"{self.seed_file}: this is no autograder that pt2e-kit made")
        return read_class_seed(self.seed_file)


def student_of(metadata: Mapping[str, Any], otherwise: str) -> str:
    """Return who handed in, from Gradescope's submission_metadata.json; of a group all, in order."""
    users = metadata.get("users")
    names = (
        [str(u.get("email") or u.get("id")) for u in users if isinstance(u, dict)] if isinstance(users, list) else []
    )
    return ", ".join(sorted(names)) or otherwise


def read_metadata(path: Path) -> dict[str, Any] | None:
    """Return submission_metadata.json, or None where it is empty or missing: `otter grade` leaves it so."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
