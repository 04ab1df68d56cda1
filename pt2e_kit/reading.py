"""Notebooks as files: read whatever bytes a student's tools have made of them, and say what was mended."""

import base64
import json
import re
from typing import Any

import nbformat
from nbformat import NotebookNode, ValidationError
from nbformat.v4.nbbase import validate

from common.i18n import _

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
MAX_CELLS = 3000
"""A notebook with more cells is not read: matching them would keep the grader busy for long."""
PICTURES = {"image/png": b"\x89PNG\r\n", "image/jpeg": b"\xff\xd8\xff"}
"""Pictures that are kept, in outputs and pasted into written answers, and how they begin. HTML, SVG and scripts would run
in the browser of whoever reads them."""
REPAIRS = "pt2e_kit_repairs"
"""Metadata of a notebook in which `read_notebook` tells what it mended."""


class Unreadable(ValueError):
    """A file that is no notebook; the message says why, in words."""


def read_notebook(data: bytes) -> NotebookNode:
    """Read a notebook from bytes: any encoding of Unicode, any line ends, nbformat 3 and 4.

    What has only one reading is mended (see `repairs`): stray commas, bytes of zero at the end, wrong bytes.

    Raises:
        Unreadable: it is empty, cut off, no notebook, or of a version that nobody knows yet.
    """
    mended: list[str] = []
    if not data.strip():
        raise Unreadable(_("the file is empty"))
    if not data.strip(b"\0"):
        raise Unreadable(_("the file holds nothing but zero bytes, as after a crash or on a full disk"))
    text = _decode(data, mended).lstrip("\ufeff")
    raw = _as_dict(_parse_json(text, mended), mended)
    version = _version(raw, mended)
    if not isinstance(raw.get("worksheets" if version == 3 else "cells"), list | dict | int | str):
        raise Unreadable(_("it is a notebook without cells"))
    try:
        notebook = _mended(_upgraded(raw) if version == 3 else nbformat.from_dict(raw), mended)
    except Exception as error:
        raise Unreadable(_("its cells cannot be read: {e}").format(e=str(error)[:200])) from None
    if mended:
        notebook.metadata[REPAIRS] = list(dict.fromkeys(mended))
    return notebook


def repairs(notebook: NotebookNode) -> list[str]:
    """Return, in words, what `read_notebook` had to mend in the file."""
    return list(notebook.metadata.get(REPAIRS, []))


def whole_text(text: str) -> str:
    """Return text that can be written as UTF-8: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text


# ---------------------------------------------------------------- from bytes to text

_BINARY = (
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"%PDF", "a PDF document"),
    (b"{\\rtf", "an RTF document"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)


def _decode(data: bytes, mended: list[str]) -> str:
    for magic, kind in _BINARY:
        if data.startswith(magic):
            raise Unreadable(_("it is {kind}, not a notebook; hand in the .ipynb file itself").format(kind=_(kind)))
    encoding = json.detect_encoding(data)
    if not encoding.startswith("utf-8"):
        return data.decode(encoding, "replace")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        if not data.lstrip()[:1] == b"{":
            raise Unreadable(_("it is neither UTF-8 nor UTF-16 text")) from None
    text = data.decode(encoding, "replace")
    wrong = text.count("\N{REPLACEMENT CHARACTER}")
    if sum(not c.isascii() for c in text) > 2 * wrong:
        told = _("{n} bytes of the file are no UTF-8; a replacement character stands for them")
        mended.append(told.format(n=wrong))
        return text
    mended.append(_("the file is not UTF-8; it was read as Windows-1252, and letters beyond ASCII may be others"))
    return data.decode("cp1252", "replace") if not set(data) & _NOT_IN_1252 else data.decode("latin-1")


_NOT_IN_1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}


# ---------------------------------------------------------------- from text to JSON

_STRAY_COMMA = re.compile(r'("[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z))|,(?=\s*[\]}])', re.DOTALL)
"""A string (kept; one that does not end reaches to the end, so that time stays linear), or a comma before a bracket."""
_CONFLICT = re.compile(r"^(<{7}|>{7}) \S", re.MULTILINE)
_SCRIPT = re.compile(r"#!.*python|# ?%%|#.*coding[:=]|(import|from|def|class)\s+\w|get_ipython\(|# ---\n# jupyter:")


def _parse_json(text: str, mended: list[str]) -> Any:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, mended))
    except json.JSONDecodeError as error:
        return _parse_damaged(text, error, mended)
    except RecursionError:
        raise Unreadable(_("it is nested too deeply")) from None
    except ValueError as error:  # a number of thousands of digits
        raise Unreadable(_("it is damaged: {e}").format(e=str(error)[:80])) from None


def _unique(pairs: list[tuple[str, Any]], mended: list[str]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        mended.append(_("something stands twice under one name in the file; the later one counts, as in Jupyter"))
    return found


def _parse_damaged(text: str, error: json.JSONDecodeError, mended: list[str]) -> Any:
    """Parse what has only one reading although it is no exact JSON."""
    text = text.lstrip()
    if not text.startswith("{") or _CONFLICT.search(text):
        raise Unreadable(_what_it_is(text)) from None
    cleaned = text.rstrip("\0\x1a \t\r\n")
    without = _STRAY_COMMA.sub(lambda m: m[1] or "", cleaned)
    try:
        try:
            found, end = json.JSONDecoder().raw_decode(without)
        except json.JSONDecodeError:
            found, end = json.JSONDecoder(strict=False).raw_decode(without)
            mended.append(_("the file holds line breaks or control characters within its texts"))
    except json.JSONDecodeError:
        if error.pos >= len(text.rstrip()) - 1 or "Unterminated" in error.msg:
            raise Unreadable(_("it is cut off in the middle, as after a broken upload")) from None
        raise Unreadable(_("it is damaged near line {n}: {e}").format(n=error.lineno, e=error.msg)) from None
    except (RecursionError, ValueError) as other:
        raise Unreadable(_("it is damaged: {e}").format(e=str(other)[:80])) from None
    if without != cleaned:
        mended.append(_("the file has stray commas"))
    if cleaned != text.rstrip():
        mended.append(_("the file ends with bytes of zero or another mark of its end"))
    _look_behind(found, without[end:].lstrip(), mended)
    return found


def _look_behind(found: Any, rest: str, mended: list[str]) -> None:
    """Say what stands behind the end of the notebook; refuse another notebook."""
    if not rest:
        return
    try:
        twice = json.loads(rest) == found
    except (ValueError, RecursionError):
        twice = False
    if twice:
        mended.append(_("the file holds the same notebook twice"))
    elif rest.startswith("{") and '"cell_type"' in rest:
        raise Unreadable(_("it holds two notebooks one behind the other; nobody knows which one counts"))
    else:  # what a shorter file left of a longer one
        mended.append(_("{n} characters behind the end of the notebook were left out").format(n=len(rest)))


def _what_it_is(text: str) -> str:
    start = text[:300].lower()
    if _CONFLICT.search(text):
        return _("it holds marks of an unfinished git merge (<<<<<<< ======= >>>>>>>); nobody knows which side counts")
    if start.startswith(("<!doctype", "<html", "<?xml")):
        return _("it is a web page, not a notebook (saved while logged out?)")
    if start.startswith("version https://git-lfs"):
        return _("it is a placeholder of git-lfs; the notebook itself was not handed in")
    if _SCRIPT.match(text):
        return _("it is a Python script, not a notebook; hand in the .ipynb file itself")
    return _("it does not begin like a notebook")


# ---------------------------------------------------------------- from JSON to cells


def _as_dict(raw: Any, mended: list[str]) -> dict[str, Any]:
    if isinstance(raw, dict) and isinstance(raw.get("content"), dict) and "cells" not in raw:
        raw = raw["content"]  # as Jupyter's server sends a notebook
        mended.append(_("the notebook was wrapped in the answer of a server"))
    if not isinstance(raw, dict):
        raise Unreadable(_("it is JSON, but not a notebook"))
    return raw


def _version(raw: dict[str, Any], mended: list[str]) -> int:
    """Return 3 or 4: where the number is missing or belongs to the other layout, the layout decides."""
    told, cells = raw.get("nbformat"), raw.get("cells")
    looks_like_4 = isinstance(cells, list) and any(isinstance(c, dict) and "cell_type" in c for c in cells)
    if isinstance(told, bool) or not isinstance(told, int | float):
        if not looks_like_4:
            raise Unreadable(_("it is JSON, but not a notebook"))
        mended.append(_("the file did not say its notebook format; it was read as version 4"))
        return 4
    if told not in (3, 4):
        raise Unreadable(_("its notebook format is version {v}; versions 3 and 4 are known").format(v=told))
    real = 4 if looks_like_4 else 3 if "cells" not in raw and isinstance(raw.get("worksheets"), list) else int(told)
    if real != told:
        mended.append(_("the file says notebook format {told}, but is of {real}").format(told=told, real=real))
    return real


def _upgraded(raw: dict[str, Any]) -> Any:
    """Version 3 to 4. Outputs are left out: nobody needs them, and odd ones would be in the way."""
    for sheet in raw["worksheets"]:
        for cell in sheet.get("cells", []):
            if cell.get("cell_type") == "code":
                cell |= {"outputs": [], "language": "python"}
    return nbformat.reads(json.dumps({**raw, "nbformat": 3, "metadata": {}}), as_version=4)


def _mended(raw: Any, mended: list[str]) -> NotebookNode:
    """Keep of each cell what grading needs, in nbformat 4.5, with ids that are there and unique."""
    cells, seen = [], set()
    given = raw["cells"]
    if len(given) > MAX_CELLS:
        raise ValueError(_("there are {n} of them; more than {max} are not read").format(n=len(given), max=MAX_CELLS))
    usable = [cell for cell in given if isinstance(cell, dict)]
    if len(usable) < len(given):
        if not usable:
            raise ValueError(_("none of them is a cell"))
        mended.append(
            _("{n} things among the cells are no cells; they were left out").format(n=len(given) - len(usable))
        )
    for number, cell in enumerate(usable):
        kind: Any = cell.get("cell_type")
        makers = {"code": nbformat.v4.new_code_cell, "raw": nbformat.v4.new_raw_cell}
        make = makers.get(kind, nbformat.v4.new_markdown_cell)
        new = make(_source(cell, mended))
        metadata = cell.get("metadata", {})
        new.metadata = metadata if isinstance(metadata, dict) else NotebookNode()
        try:
            validate(new, f"{new.cell_type}_cell")
        except ValidationError:  # tags of a wrong type, say: no reason to refuse a notebook
            new.metadata = NotebookNode({k: v for k, v in new.metadata.items() if k == "nbgrader"})
        attachments = _pictures(cell.get("attachments"))
        if attachments and new.cell_type != "code":
            new.attachments = attachments
        own_id = cell.get("id")
        valid = isinstance(own_id, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", own_id) and own_id not in seen
        new.id = own_id if valid else f"cell-{number}"
        seen.add(new.id)
        cells.append(new)
    return nbformat.v4.new_notebook(cells=cells, metadata=NotebookNode(kernelspec=dict(KERNELSPEC)))


def _source(cell: dict[str, Any], mended: list[str]) -> str:
    source = cell.get("source")
    if isinstance(source, list):
        lines = [str(line) for line in source if line is not None]
        glue = ""
        if len(lines) > 1 and not any("\n" in line or "\r" in line for line in lines):
            glue = "\n"
            mended.append(_("the lines of a cell had no line ends; each was taken for a line of its own"))
        source = glue.join(lines)
    source = "" if source is None else str(source)
    return whole_text(source.replace("\r\n", "\n").replace("\r", "\n"))


def _pictures(attachments: Any) -> NotebookNode:
    """Return the attachments of a text that are pictures, by names that are safe in a link."""
    kept = NotebookNode()
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        for kind, begin in PICTURES.items():
            text = bundle.get(kind) if isinstance(bundle, dict) else None
            text = "".join(map(str, text)) if isinstance(text, list) else text
            if not isinstance(text, str) or not re.fullmatch(r"[\w .,()+-]{1,200}", name):
                continue
            try:
                raw = base64.b64decode("".join(text.split()), validate=True)
            except ValueError:
                continue
            if raw.startswith(begin):
                kept[name] = NotebookNode({kind: base64.b64encode(raw).decode()})
    return kept
