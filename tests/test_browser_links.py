"""A link to a question works in every way that a reader can arrive, and its title stays in sight."""

from __future__ import annotations

import pytest

from browsing import Reader

RING = "chapters/06-distributed/#ring-allreduce-steps"
WHERE = """id => {
  const answer = document.getElementById(id);
  if (!answer) return {top: -1000, shown: false}; // the page has not come yet
  const title = answer.closest(".q").querySelector("h3");
  const bars = [...document.querySelectorAll(".md-header, .page-bar")].filter(
    bar => ["sticky", "fixed"].includes(getComputedStyle(bar).position));
  const covered = Math.max(...bars.map(bar => bar.getBoundingClientRect().bottom).filter(y => y < 200));
  return {top: title.getBoundingClientRect().top - covered, shown: answer.innerText.includes("Scatter-Reduce")};
}"""


def in_sight(reader: Reader) -> bool:
    """The question's title is below the bars and in the upper half of the window, its answer open."""
    page = reader.page
    page.wait_for_function(f"(({WHERE})('ring-allreduce-steps')).shown")
    page.wait_for_function(f"(y => y >= -1 && y < 400)((({WHERE})('ring-allreduce-steps')).top)")
    return bool(page.url.endswith(RING))


@pytest.mark.parametrize("testing", [False, True], ids=["reading", "self-test"])
class TestArriving:
    @pytest.fixture(autouse=True)
    def mode(self, reader: Reader, testing: bool) -> None:
        if testing:
            reader.open("chapters/01-foundations/").click("[data-switch]")

    def test_by_a_link_from_elsewhere(self, reader: Reader) -> None:
        reader.open(RING)
        assert in_sight(reader)

    def test_by_changing_the_fragment(self, reader: Reader) -> None:
        reader.open("chapters/06-distributed/")
        reader.page.evaluate("location.hash = '#ring-allreduce-steps'")
        assert in_sight(reader)

    def test_by_the_topic_index_without_loading_a_page(self, reader: Reader) -> None:
        reader.open("topics/").evaluate("window.before = true")
        reader.page.click("#allreduce ~ .qlist a[href$='#ring-allreduce-steps']")
        assert in_sight(reader)
        assert reader.page.evaluate("window.before")

    def test_by_a_related_question_on_another_page(self, reader: Reader) -> None:
        page = reader.open("exam/comprehensive/#ring-allreduce-diagram")
        page.click("[data-q=ring-allreduce-diagram] .q-rel a[href$='#ring-allreduce-steps']")
        assert in_sight(reader)

    def test_by_going_back(self, reader: Reader) -> None:
        reader.open(RING)
        reader.page.click(".md-nav a:has-text('公式表')")
        reader.page.wait_for_selector("h1:has-text('公式表')")
        reader.page.go_back()
        assert in_sight(reader)

    def test_by_the_search(self, reader: Reader) -> None:
        page = reader.open("chapters/01-foundations/")
        page.keyboard.press("/")
        page.keyboard.type("AllReduce的过程怎么描述")
        page.wait_for_selector(".md-search-result__link:has-text('的过程怎么描述')")
        page.wait_for_timeout(1500)  # each key draws the list anew, and a click on a list that goes is lost
        page.click(".md-search-result__link:has-text('的过程怎么描述')")
        page.wait_for_url("**/chapters/06-distributed/**")
        page.wait_for_function(f"(y => y >= -1 && y < 400)((({WHERE})('ring-allreduce-steps')).top)")
        page.wait_for_function(f"(({WHERE})('ring-allreduce-steps')).shown")


def test_a_page_that_does_not_exist_is_in_the_site_s_own_look_at_any_depth(reader: Reader) -> None:
    reader.page.goto(reader.site.url + "no/such/page/")
    assert reader.page.inner_text("h1") == "这一页不在这里"
    assert reader.page.evaluate("getComputedStyle(document.querySelector('.lost h1')).fontFamily").startswith('"Songti')
    reader.page.click(".lost-links a:has-text('考点索引')")
    reader.page.wait_for_selector("h1:has-text('考点索引')")
    assert reader.page.url == reader.site.url + "topics/"


def test_the_lost_page_searches(reader: Reader) -> None:
    reader.page.goto(reader.site.url + "no/such/page/")
    reader.page.click(".home-search")
    reader.page.keyboard.type("Dockerfile")
    reader.page.wait_for_selector(".md-search-result__link")


def test_the_copied_link_is_the_question_s(reader: Reader) -> None:
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.open("chapters/06-distributed/?from=chat")
    page.hover("[data-q=ring-allreduce-steps]")
    page.click("[data-q=ring-allreduce-steps] .q-copy")
    page.wait_for_selector(".q-copy:has-text('已复制')")
    assert page.evaluate("navigator.clipboard.readText()") == reader.site.url + RING.replace("/#", "/?from=chat#")


def test_previous_and_next_lead_through_the_chapters(reader: Reader) -> None:
    page = reader.open("chapters/06-distributed/")
    page.click(".md-footer__link--next")
    page.wait_for_selector("h1:has-text('调度、容器与集群管理')")
    page.click(".md-footer__link--prev")
    page.wait_for_selector("h1:has-text('分布式训练')")
