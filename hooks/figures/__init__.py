"""This course's worked examples and figures: the one part of the hooks that knows what the course is about.

Each file holds a pure function for the numbers and, apart from it, one that writes or draws them. Every function takes
the parameters of its block as text and raises ValueError, with the end of a sentence, for one that is wrong.
"""

from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element

from figures import ring_allreduce

Parameters = Mapping[str, str]

EXAMPLES: Mapping[str, Callable[[Parameters], str]] = {
    "ring-allreduce": ring_allreduce.example,
}
"""Name -> Markdown."""

FIGURES: Mapping[str, Callable[[Parameters], Element]] = {
    "ring-allreduce": ring_allreduce.figure,
}
"""Name -> SVG; `svg` says of what parts."""
