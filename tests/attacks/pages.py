"""The pages that instructor and student open in a browser, and what in them could act there."""

import copy
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbgrader
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests

from pt2e_kit.nbgrader_steps import HideDetails, TellStudent

_TEMPLATES = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"
_LINKS = {"href", "src", "action", "formaction", "data", "xlink:href", "poster", "background", "srcdoc"}
_ACTIVE = {"script", "iframe", "object", "embed", "form", "meta", "base", "link", "svg", "math", "style", "template"}


@cache
def _exporter(template: str) -> HTMLExporter:
    exporter = HTMLExporter(
        template_name=template,
        extra_template_basedirs=[str(_TEMPLATES / "templates")],
        extra_template_paths=[str(_TEMPLATES / "static" / "node_modules" / "bootstrap" / "dist" / "css")],
    )
    exporter.register_preprocessor(CSSHTMLHeaderPreprocessor, enabled=True)
    return exporter


def feedback_page(graded: NotebookNode) -> str:
    """The page that a student gets, by the steps of nbgrader_config.py; the gradebook's part is made up."""
    steps = (HideDetails(), ClearHiddenTests(), TellStudent())
    return _page(graded, "feedback", *steps)


def instructor_page(graded: NotebookNode) -> str:
    """The page in which formgrader shows a graded notebook."""
    return _page(graded, "formgrade")


def _page(graded: NotebookNode, template: str, *steps: Any) -> str:
    notebook = copy.deepcopy(graded)
    about = {"score": 0, "max_score": 9, "late_penalty": 0, "notebook": "p1", "assignment": "a1", "student": "evil"}
    resources: dict[str, Any] = {"nbgrader": about, "unique_key": "p1", "output_files_dir": "p1_files"}
    for step in steps:
        notebook, resources = step.preprocess(notebook, resources)
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader |= {"score": 0, "points": 0, "comment": None}
    resources |= {
        "submission_id": "x",
        "notebook_id": "p1",
        "assignment_id": "a1",
        "base_url": "",
        "index": 0,
        "total": 1,
    }
    resources |= {
        "mathjax_url": "",
        "student": "evil",
        "last_name": None,
        "first_name": None,
        "my_name": "",
        "filename": "",
    }
    page, _resources = _exporter(template).from_notebook_node(notebook, resources=resources)
    return page


class _Active(HTMLParser):
    """Collects what a browser would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._script: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ACTIVE and tag not in ("script", "style"):
            self.found.add(f"<{tag} {sorted(attrs)!r}>")
        if tag in ("script", "style"):
            self._script = tag
        for name, value in attrs:
            value = value or ""
            if name.startswith("on"):
                self.found.add(f"{name}={value}")
            bare = "".join(value.split()).casefold()
            if name in _LINKS and bare.startswith(("javascript:", "vbscript:", "data:text", "data:image/svg")):
                self.found.add(f"{name}={value}")
            if name in ("src", "srcset", "poster", "background", "data") and bare.startswith(("http:", "https:", "//")):
                self.found.add(f"{name}={value}")

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.found.add(f"<{self._script}>{data}")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._script:
            self._script = None


def active(page: str) -> set[str]:
    """Everything in a page that a browser runs, or fetches without being asked."""
    parser = _Active()
    parser.feed(page)
    parser.close()
    return parser.found
