"""Every page: one origin, no fault that axe finds, no sideways scroll, light, still, and whole on paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import LAPTOP, PHONE, Reader, Site, new_reader

SCHEMES = ("light", "dark")
AXE = (Path(__file__).parents[1] / "node_modules/axe-core/axe.min.js").read_text("utf-8")
KINDS = [
    "",
    "chapters/06-distributed/",
    "labs/2-custom-operators/",
    "labs/5-containers/",
    "labs/6-adversarial-attacks/",
    "exam/comprehensive/",
    "topics/",
    "checklist/",
    "formulas/",
    "cheatsheet/",
    "write/",
    "no/such/page/",
]


def faults(page: Page) -> list[str]:
    page.evaluate(AXE)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    # the boxes of a formula are hidden from readers aloud and have the colour of the text: thousands, for minutes
    found = page.evaluate("tags => axe.run({exclude: ['.katex-html']}, {runOnly: tags})", tags)
    return [f"{fault['id']}: {node['html'][:120]}" for fault in found["violations"] for node in fault["nodes"]]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_axe_finds_nothing(site: Site, browser: Browser, scheme: str, size: dict[str, int]) -> None:
    reader = new_reader(site, browser, color_scheme=scheme, viewport=size, reduced_motion="reduce")
    found = {}
    for path in KINDS:
        reader.open(path)
        found[path] = faults(reader.page)
    reader.open("chapters/06-distributed/").click("[data-switch]")
    found["self-test"] = faults(reader.page)
    reader.page.keyboard.press("?")
    found["keys"] = faults(reader.page)
    assert {path: said for path, said in found.items() if said} == {}
    reader.context.close()


COVERED = """() => {
    const range = document.createRange();
    const lines = (root) => {
        const [walk, found] = [document.createTreeWalker(root, NodeFilter.SHOW_TEXT), []];
        while (walk.nextNode()) {
            range.selectNodeContents(walk.currentNode);
            found.push(...range.getClientRects());
        }
        return found.filter((box) => box.width);
    };
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    return [...document.querySelectorAll(".q:has(.q-copy)")]
        .filter((q) => {
            const [button, foot] = [".q-copy", ".q-foot"].map((name) => lines(q.querySelector(name)));
            return button.some((a) => foot.some((b) => meet(a, b)));
        })
        .map((q) => q.querySelector(".q-t").textContent);
}"""


@pytest.mark.parametrize("width", [320, 390, 700, 1280])
def test_the_button_that_copies_a_link_covers_no_source(site: Site, browser: Browser, width: int) -> None:
    reader = new_reader(site, browser, viewport={"width": width, "height": 800})
    for path in ("chapters/06-distributed/", "labs/6-adversarial-attacks/"):
        reader.open(path)
        assert reader.page.locator(".q-copy").count() > 5
        assert reader.page.evaluate(COVERED) == []
    reader.context.close()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("path", ["", "no/such/page/", "chapters/06-distributed/"])
def test_a_stroke_opens_the_search(site: Site, browser: Browser, path: str, size: dict[str, int]) -> None:
    reader = new_reader(site, browser, viewport=size)
    reader.open(path)
    reader.page.keyboard.press("/")
    expect(reader.page.locator("input.md-search__input")).to_be_focused()
    reader.page.keyboard.type("docker")
    expect(reader.page.locator(".md-search-result__link").first).to_be_in_viewport()
    reader.context.close()


def test_a_reader_s_browser_asks_one_origin_on_every_page(reader: Reader) -> None:
    for path in reader.site.pages():
        reader.open(path)
    reader.page.keyboard.press("/")
    reader.page.keyboard.type("docker")
    reader.page.wait_for_selector(".md-search-result__link")
    here = urlsplit(reader.site.url).netloc
    assert {urlsplit(url).netloc for url in reader.requests if not url.startswith("data:")} == {here}
    assert len(reader.site.pages()) == 22


@pytest.mark.parametrize("width", [360, 600, 1000, 1219, 1600])
def test_no_page_scrolls_sideways(site: Site, browser: Browser, width: int) -> None:
    reader = new_reader(site, browser, viewport={"width": width, "height": 800})
    wide = {}
    for path in KINDS:
        reader.open(path)
        wide[path] = reader.page.evaluate("document.scrollingElement.scrollWidth")
    assert set(wide.values()) == {width}, wide
    reader.context.close()


def test_what_scrolls_in_its_own_box_takes_the_keyboard(phone: Reader) -> None:
    page = phone.open("exam/comprehensive/")
    box = page.locator(
        "[data-q=ring-allreduce-diagram] .md-typeset__scrollwrap, [data-q=ring-allreduce-diagram] table"
    ).first
    expect(box).to_have_attribute("tabindex", "0")


def weight(site: Site, browser: Browser, path: str) -> tuple[int, list[str]]:
    """Bytes of a first visit, search apart, and what was sent."""
    reader = new_reader(site, browser, viewport=PHONE)
    site.sent.clear()
    reader.open(path)
    reader.page.wait_for_load_state("networkidle")
    reader.context.close()
    sent = {name: size for name, size in site.sent.items() if "search" not in name}
    return sum(sent.values()), sorted(sent)


@pytest.mark.parametrize("path", ["labs/2-custom-operators/", "labs/6-adversarial-attacks/", "formulas/", "topics/"])
def test_a_page_with_formulas_is_light(site: Site, browser: Browser, path: str) -> None:
    size, sent = weight(site, browser, path)
    assert size <= 140_000, (size, sent)
    assert any("KaTeX_Main" in name for name in sent)


def test_a_page_without_formulas_loads_nothing_of_katex(site: Site, browser: Browser) -> None:
    _, sent = weight(site, browser, "labs/5-containers/")
    assert [name for name in sent if "katex" in name.lower()] == []


@pytest.mark.parametrize("path", ["labs/6-adversarial-attacks/", "labs/2-custom-operators/", "formulas/"])
def test_formulas_do_not_shift_the_page(site: Site, browser: Browser, path: str) -> None:
    reader = new_reader(site, browser, viewport=PHONE)
    reader.context.add_init_script(
        "window.shift = 0; new PerformanceObserver(list => { for (const entry of list.getEntries())"
        " window.shift += entry.value }).observe({type: 'layout-shift', buffered: true})"
    )
    reader.open(path)
    reader.page.wait_for_load_state("networkidle")
    reader.page.wait_for_timeout(300)
    assert reader.page.evaluate("window.shift") < 0.001
    reader.context.close()


def test_each_formula_is_seen_once_and_read_once(reader: Reader) -> None:
    page = reader.open("labs/2-custom-operators/")
    formula = page.locator(".formula .tex").first
    layers = (
        "e => [getComputedStyle(e.querySelector('.katex-mathml')).clipPath, e.querySelector('.katex-html').ariaHidden]"
    )
    assert formula.evaluate(layers) == ["inset(50%)", "true"]
    assert formula.locator("math").count() == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_chapter_prints_whole_from_self_test(site: Site, browser: Browser, scheme: Literal["light", "dark"]) -> None:
    reader = new_reader(site, browser, color_scheme=scheme)
    page = reader.open("chapters/06-distributed/")
    page.click("[data-switch]")
    page.emulate_media(media="print", color_scheme=scheme)
    for answer in page.locator(".q-a").all():
        for part in answer.locator("> p, li").all():
            expect(part).to_be_visible()
    expect(page.locator(".md-header, .md-sidebar, .page-bar, .q-try").locator("visible=true")).to_have_count(0)
    colours = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.q-a')).color]"
    )
    assert colours == ["rgb(255, 255, 255)", "rgb(17, 17, 17)"]
    reader.context.close()


def test_the_checklist_prints_on_one_page(reader: Reader) -> None:
    page = reader.open("checklist/")
    margin = "14mm"
    paper = page.pdf(format="A4", margin={"top": margin, "bottom": margin, "left": margin, "right": margin})
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1
