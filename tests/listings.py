"""The programs and files of the notes, as they stand on the page: fenced code with a title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(
    r'^(?P<fence>`{3,}) *(?P<language>[\w+-]+) +title="(?P<title>[^"]+)" *\n(?P<code>.*?)^(?P=fence)$', re.M | re.S
)


def read(docs: Path = DOCS) -> Mapping[str, str]:
    """Text of each titled listing by its title, which names a file."""
    found: dict[str, str] = {}
    for path in sorted(docs.rglob("*.md")):
        for listing in FENCE.finditer(path.read_text("utf-8")):
            assert listing["title"] not in found, f"{path}: {listing['title']} stands twice"
            found[listing["title"]] = listing["code"]
    return found
