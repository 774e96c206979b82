// @ts-check
// Keys, copying and printing on every page; each other module is one custom element, brought where a page has it.
// Pages work without any of it.
const elements = ["check-list", "known-count", "self-test", "topic-filter"];

const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

/** @returns {import("./self-test.mjs").SelfTest | null} */
const chapter = () => document.querySelector("self-test:defined");

/** @type {Record<string, () => void>} */
const keys = {
  j: () => move(1),
  k: () => move(-1),
  t: () => chapter()?.toggle(),
  "?": () => /** @type {HTMLDialogElement} */ (document.getElementById("keys")).showModal(),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return;
  if (target.matches(".q") && (event.key === " " || event.key === "Enter")) {
    event.preventDefault();
    chapter()?.advance(target);
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

/** To the next question or the one before, counted from the top of the window. @param {1 | -1} step */
function move(step) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".q")]);
  const top = (/** @type {HTMLElement} */ section) =>
    section.getBoundingClientRect().top - parseFloat(getComputedStyle(section).scrollMarginTop);
  const next = step > 0 ? all.find((section) => top(section) > 4) : all.findLast((section) => top(section) < -4);
  if (!next) return;
  next.tabIndex = -1;
  next.scrollIntoView();
  next.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-copy], [data-print]"));
  if (button?.dataset.copy) copy(button, button.dataset.copy);
  else if (button) print();
});

/** @param {HTMLElement} button @param {string} what the fragment of a link, or `tex` */
async function copy(button, what) {
  const tex = button.closest(".f")?.querySelector("annotation")?.textContent ?? "";
  const label = button.textContent;
  await put(what === "tex" ? tex : location.href.split("#")[0] + what);
  button.textContent = words.copied;
  setTimeout(() => (button.textContent = label), 1500);
}

/** Old browsers, and pages without https, have no clipboard to write to. @param {string} text */
async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** What scrolls in its own box can be scrolled by keyboard. */
const boxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const wide = target.scrollWidth > target.clientWidth + 1;
    const high = target.scrollHeight > target.clientHeight + 1 && getComputedStyle(target).overflowY !== "hidden";
    if (wide || high) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

/** On every page that comes, by instant navigation too. */
function arrive() {
  for (const name of elements) if (document.querySelector(name)) import(`./${name}.mjs`);
  // the theme may put back the place of the page before, after the chapter has opened its question
  requestAnimationFrame(() => chapter()?.open());
  boxes.disconnect();
  const selector = ".formula-t, .katex-display, .drawing, pre > code, .md-typeset__scrollwrap, .md-typeset table:not([class])";
  for (const box of document.querySelectorAll(selector)) boxes.observe(box);
  // what the theme leaves without a name: its dialog, and the rails of its copy buttons
  document.querySelector(".md-search")?.setAttribute("aria-label", words.search);
  document.querySelectorAll(".md-code__nav").forEach((rail, position) => {
    rail.setAttribute("aria-label", `${rail.querySelector("button")?.title} ${position + 1}`);
  });
}

const { document$ } = /** @type {{document$?: {subscribe: (f: () => void) => void}}} */ (/** @type {unknown} */ (window));
if (document$) document$.subscribe(arrive);
else arrive();
