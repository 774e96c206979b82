"""Marks in a page's Markdown where a frame begins and ends; the author cannot type them."""

from __future__ import annotations

import re

MARK = re.compile("^\ue002(?P<name>[\\w-]*)(?P<words>[^\ue003]*)\ue003$")
START = "\ue002"
SEPARATOR = "\ue004"


def frame(name: str, *words: str) -> str:
    """Opens the frame `name`; what follows, up to its `close()`, stands inside."""
    return f"{START}{name}{''.join(SEPARATOR + word for word in words)}\ue003"


def close() -> str:
    return f"{START}\ue003"
