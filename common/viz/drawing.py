"""What `draw`, `draw_stages` and `table` return: shown by a notebook, and usable without one."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.env import has_dot
from common.i18n import _
from common.viz import dot
from common.viz.labels import clean, count_words
from common.viz.mermaid import escape as mermaid_escape
from common.viz.mermaid import mermaid_of
from common.viz.text import summary, text_of
from common.viz.view import View

PAGE_COLOUR = "color:var(--jp-content-font-color1,#111)"
"""JupyterLab's own text colour where there is one, else dark: `currentColor` in the picture follows it."""

MOST_NODES = 400
"""A picture of more nodes cannot be read, and dot takes minutes for it: it becomes text."""


class Shown:
    """Something with a MIME bundle. Shown once when made, if a notebook runs; again where a later cell asks."""

    _shown_in: int | None = None

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        raise NotImplementedError

    def show(self) -> None:
        """Show it now, where an IPython shell runs; a plain script shows nothing."""
        shell = _shell()
        if shell is not None:
            self._publish()
            self._shown_in = shell.execution_count

    def _ipython_display_(self) -> None:
        # `draw(gm)` shows by itself, so that it may stand anywhere in a cell. As last line of the same cell, its
        # value would be shown a second time: that one is skipped.
        shell, shown_in = _shell(), self._shown_in
        self._shown_in = None
        if shell is None or shown_in != shell.execution_count:
            self._publish()

    def _publish(self) -> None:
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)


def _shell() -> Any:
    import sys

    if "IPython" not in sys.modules:  # a script: nothing to show in, and no reason to load IPython
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


@dataclass
class Drawing(Shown):
    """One picture, or several stages side by side.

    `svg` is None where dot is missing (or fails); then the notebook shows Mermaid. `text` is always there.
    """

    views: Sequence[View]
    labels: Sequence[str] = ()
    title: str | None = None
    legend: Sequence[str] = ()
    svg: str | None = field(default=None, init=False)
    text: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.title = clean(self.title) if self.title else None
        self.labels = [clean(s) for s in self.labels]
        self.text = self._as_text()
        self._drawable = sum(len(v.shapes) for v in self.views) <= MOST_NODES
        if self._drawable and has_dot():
            try:
                svgs = [dot.svg_of(v) for v in self.views]
            except dot.DotFailed:
                return  # Mermaid then
            self.svg = dot.to_text(dot.side_by_side(svgs, list(self.labels)) if self.labels else svgs[0])

    def _as_text(self) -> str:
        blocks = [f"{self.title}\n" if self.title else ""]
        for i, view in enumerate(self.views):
            blocks.append((f"[{self.labels[i]}]\n" if self.labels else "") + text_of(view) + "\n")
        blocks.append("".join(f"({line})\n" for line in self.legend))
        return ("\n" if self.labels else "").join(b for b in blocks if b).rstrip("\n")

    @property
    def html(self) -> str:
        """The picture as HTML: inline SVG, a text alternative, the graph in words to unfold.

        Without a picture (no dot, too many nodes) the words alone.
        """
        title = f'<div style="font-weight:bold;margin:0 0 6px">{html.escape(self.title)}</div>' if self.title else ""
        legend = "".join(f'<div style="font-size:85%">{html.escape(line)}</div>' for line in self.legend)
        words = f'<pre style="margin:4px 0;color:inherit;background:none">{html.escape(self.text)}</pre>'
        if self.svg is None:
            reason = "" if self._drawable else f"<div>{html.escape(self._too_large())}</div>"
            return f'<div style="{PAGE_COLOUR}">{title}{reason}{words}</div>'
        picture = self.svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
        label = html.escape("; ".join([*([self.title] if self.title else []), *(summary(v) for v in self.views)]))
        unfold = (
            f'<details style="font-size:85%"><summary>{html.escape(_("the graph in words"))}</summary>{words}</details>'
        )
        return f'<div style="{PAGE_COLOUR}">{title}<div role="img" aria-label="{label}">{picture}</div>{legend}{unfold}</div>'

    @property
    def markdown(self) -> str:
        """The picture as Markdown with Mermaid in it, for a machine without dot."""
        parts = [f"**{mermaid_escape(self.title).replace('#', '&#')}**"] if self.title else []
        for i, view in enumerate(self.views):
            if self.labels:
                parts.append(f"**{mermaid_escape(self.labels[i]).replace('#', '&#')}**")
            parts.append(f"```mermaid\n{mermaid_of(view)}\n```")
        return "\n\n".join([*parts, *self.legend])

    def _too_large(self) -> str:
        count = count_words(sum(s.node is not None for v in self.views for s in v.shapes))
        return _("{count} are too many for a picture: name some in focus=[…].").format(count=count)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        if self.svg is None and self._drawable:
            return {"text/markdown": self.markdown, "text/plain": self.text}
        return {"text/html": self.html, "text/plain": self.text}

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file; its ending says how: .svg, .html, .md (Mermaid) or .txt.

        Raises:
            ValueError: another ending, or .svg where there is no SVG (dot missing, too many nodes).
        """
        path = Path(path)
        forms = {".svg": self.svg, ".html": self.html, ".md": self.markdown, ".txt": self.text}
        if path.suffix not in forms:
            raise ValueError(_("save: {path} must end in one of {endings}").format(path=path, endings=[*forms]))
        content = forms[path.suffix]
        if content is None:
            raise ValueError(_("save: no SVG here, since graphviz's `dot` did not draw it; use .md or .txt"))
        path.write_text(content.replace("currentColor", "#111") if path.suffix == ".svg" else content, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return self.text
