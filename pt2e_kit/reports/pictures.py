"""Pictures of a report: SVG that prints in black and white, with a text in the place of each for who cannot see it."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from common.i18n import _

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 230, 40, 24, 40


def bars(counts: Sequence[int], most: float) -> Markup:
    """Return a histogram: one bar for each tenth of the maximum `most`, in points, with its count above it."""
    tenth = most / len(counts)
    parts = [
        _("{n} from {a} to {b}").format(n=n, a=_short(i * tenth), b=_short((i + 1) * tenth))
        for i, n in enumerate(counts)
        if n
    ]
    told = _("Students by score, in points: {parts}.").format(parts="; ".join(parts) or _("none"))
    step = (WIDTH - LEFT) / len(counts)
    high, base = max([*counts, 1]), HEIGHT - BOTTOM
    drawn = []
    for i, n in enumerate(counts):
        tall = n / high * (base - TOP)
        x = LEFT + i * step
        if n:
            drawn.append(f'<rect x="{x + 3:.1f}" y="{base - tall:.1f}" width="{step - 6:.1f}" height="{tall:.1f}"/>')
            drawn.append(f'<text x="{x + step / 2:.1f}" y="{base - tall - 5:.1f}">{n}</text>')
        drawn.append(f'<text x="{x:.1f}" y="{base + 16}">{_short(i * tenth)}</text>')
    drawn.append(f'<text x="{WIDTH - 1}" y="{base + 16}" class="end">{_short(most)}</text>')
    drawn.append(f'<text x="{(LEFT + WIDTH) / 2:.1f}" y="{base + 34}">{escape(_("points"))}</text>')
    drawn.append(f'<text x="12" y="{(TOP + base) / 2:.1f}" transform="rotate(-90 12 {(TOP + base) / 2:.1f})">')
    drawn.append(f"{escape(_('students'))}</text>")
    drawn.append(f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH}" y2="{base}"/>')
    head = f'<svg class="bars" role="img" aria-labelledby="bars-title" viewBox="0 0 {WIDTH + 12} {HEIGHT}">'
    return Markup(f'{head}<title id="bars-title">{escape(told)}</title>{"".join(drawn)}</svg>')


def share(value: float | None) -> Markup:
    """Return a thin bar that is full at 1; the number beside it says the same, so that readers aloud skip it."""
    full = 0 if value is None else max(0.0, min(1.0, value)) * 60
    return Markup(
        '<svg class="share" aria-hidden="true" viewBox="0 0 62 10"><rect class="frame" x="1" y="1" width="60" height="8"/>'
        f'<rect x="1" y="1" width="{full:.1f}" height="8"/></svg>'
    )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
