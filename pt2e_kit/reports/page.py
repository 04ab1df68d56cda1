"""A report as one HTML page: no scripts, nothing from elsewhere, and everything from submissions is escaped."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from common.i18n import _
from pt2e_kit.grading.notes import printable
from pt2e_kit.reports import measures, pictures
from pt2e_kit.reports.overview import Overview

TEMPLATE = "page.html.j2"


def page(report: Overview) -> str:
    """Return the page as text."""
    pages = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    pages.filters |= {"num": _number, "percent": _percent, "words": _words, "name": _name}
    pages.globals |= {"_": _, "share": pictures.share, "few": measures.FEW}
    bars = pictures.bars(report.histogram, report.max_score) if report.max_score else None
    adjusted = bool(report.adjustments)
    return pages.get_template(TEMPLATE).render(r=report, bars=bars, adjusted=adjusted)


def write_page(report: Overview, path: Path) -> None:
    """Write the page, whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(page(report), encoding="utf-8", errors="backslashreplace")
    part.replace(path)


def _harmless(value: Any) -> Any:
    """Every value of the template comes through here: no control characters, and none that turn text around."""
    return value if isinstance(value, Markup) else printable(value)


def _number(value: float | None, digits: int = 2) -> str:
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _words(text: str) -> Markup:
    """What students were told: `code` between backquotes as code, all else escaped."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(printable(text)))))


def _name(text: str) -> Markup:
    """A name that may be broken behind its slash."""
    return Markup(str(escape(printable(text))).replace("/", "/<wbr>"))
