"""Files handed in beside the notebooks. None is used, because helper files come from the course: say where it shows."""

import filecmp
import importlib.machinery
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.collect import Survey, shown
from pt2e_kit.grading.notes import Note

MAX_NAMED = 10
_STARTS_BY_ITSELF = re.compile(r"(sitecustomize|usercustomize|conftest)\.py$|\.pth$|ipython_config\.py$", re.IGNORECASE)
_NO_MODULE = re.compile(r"No module named ['\"]?([\w.]+)")
_NO_FILE = re.compile(r"No such file or directory: ['\"]?([^'\"\n]+)")


@dataclass
class Beside:
    """What was handed in beside the notebooks, and notes on it."""

    notes: list[Note] = field(default_factory=list)
    modules: dict[str, Path] = field(default_factory=dict)
    """Modules of the student's own that the course does not have: name → file in the submission."""
    files: dict[str, Path] = field(default_factory=dict)
    """Other files that the course does not have, by name."""

    def missed_in(self, notebook: NotebookNode) -> list[Note]:
        """Return notes on imports and files that an executed notebook did not find because ours alone are there."""
        text = _outputs(notebook)
        found = {self.modules.get(name.split(".")[0]) for name in _NO_MODULE.findall(text)}
        found |= {self.files.get(re.split(r"[\\/]", name.strip())[-1]) for name in _NO_FILE.findall(text)}
        told = _(
            "{name} was handed in and was not found when it was asked for, because helper files come from the course. "
            "To put it right, add it to the course's source folder, or its content to a cell, and grade again"
        )
        return [Note("repair", told.format(name=shown(path))) for path in sorted(p for p in found if p)][:MAX_NAMED]


def look_beside(source: Path, submission: Path) -> Beside:
    """Compare what was handed in with the course's helper files in `source`. Both folders are only read."""
    beside = Beside()
    changed, hiding, starting = [], [], []
    for path in Survey(submission, []).files:
        relative = path.relative_to(submission)
        if _STARTS_BY_ITSELF.search(path.name):
            starting.append(relative)
        elif (ours := _of_the_course(source, relative)) is not None:
            if not _same(ours, path):
                changed.append(relative)
        elif (module := _module(relative)) and _exists(module):
            hiding.append(relative)
        elif module:
            beside.modules.setdefault(module, relative)
        else:
            beside.files.setdefault(path.name, relative)
    for kind, paths, text in (
        ("repair", changed, _("these files of the course were changed; the course's own were used: {names}")),
        ("repair", hiding, _("these files would hide modules that others need; they were not used: {names}")),
        ("suspicion", starting, _("these files would run by themselves; they were not used: {names}")),
    ):
        if paths:
            names = ", ".join([*map(shown, paths[:MAX_NAMED]), *(["…"] if len(paths) > MAX_NAMED else [])])
            beside.notes.append(Note(kind, text.format(names=names)))  # type: ignore[arg-type]
    return beside


def _of_the_course(source: Path, relative: Path) -> Path | None:
    """The course's file of the same place, also where everything was handed in one folder further down."""
    places = [Path(*relative.parts[start:]) for start in range(len(relative.parts))]
    return next((source / p for p in places if (source / p).is_file()), None)


def _same(ours: Path, theirs: Path) -> bool:
    try:
        return filecmp.cmp(ours, theirs, shallow=False)
    except OSError:
        return False


def _module(relative: Path) -> str | None:
    """The name by which the notebook would import a file: helper.py, package/part.py."""
    if relative.suffix != ".py":
        return None
    return relative.stem if relative.name != "__init__.py" else relative.parent.name or None


def _exists(module: str) -> bool:
    """Whether the environment has a module of this name. Nothing is imported."""
    if module in sys.stdlib_module_names or module == "common":
        return True
    try:
        return importlib.machinery.PathFinder.find_spec(module, [p for p in sys.path if p]) is not None
    except (ImportError, ValueError):
        return False


def _outputs(notebook: NotebookNode) -> str:
    """What an executed notebook shows, as one text."""
    shown_texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            shown_texts += [str(output.get("evalue", "")), str(output.get("text", ""))]
            shown_texts += [str(v) for k, v in output.get("data", {}).items() if k.startswith("text/")]
    return "\n".join(shown_texts)
