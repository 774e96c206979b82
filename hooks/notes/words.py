"""Every interface word that the pages show; `course.yml` gives each in the course's language."""

WORDS = (
    # every page
    "description", "colophon", "to-dark", "to-light",
    # pages
    "home", "checklist", "topics", "formulas", "cheatsheet",
    "checklist-lede", "topics-lede", "formulas-lede", "cheatsheet-lede",
    # counts and lists: {count}, {total}, {done}, {seen} are filled in
    "questions", "topic-count", "formula-count", "done", "sheet-contents", "comma", "stop",
    # search and filter
    "search", "search-short", "filter", "no-topics", "all", "trust",
    # the checklist
    "editorial", "print", "unsaved",
    # a question
    "examined", "expected", "known", "topics-label", "related-label", "number-title",
    "copy", "copied", "symbols", "exam", "strict", "fix", "short", "example",
    # self-test
    "selftest", "selftest-seen", "first-point", "next-point", "all-points", "answer", "points", "missed", "recalled",
    # keys
    "keys", "key-search", "key-move", "key-show", "key-selftest", "key-keys", "close",
    # the page that is not there
    "lost", "lost-text",
)  # fmt: skip
