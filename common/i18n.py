"""Words that a person reads go through `_()`; English is in the code."""

import gettext
from pathlib import Path

_translation = gettext.translation("pt2e_kit", Path(__file__).parent / "locale", fallback=True)


def _(message: str) -> str:
    """Return `message` in the reader's language, where a translation is installed."""
    return _translation.gettext(message)
