// @ts-check
// <self-test> wraps a chapter: in self-test mode every answer is hidden and shown point by point.
import { read, watch, write } from "./store.mjs";

const root = document.documentElement;
const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

export const testing = () => root.dataset.selftest !== undefined;

/** A point of an answer: its list item, if it has one, and what is shown with it. @typedef {{item?: Element, others: Element[]}} Step */

/** One question on the page. */
class Question {
  /** @param {HTMLElement} section @param {() => void} changed */
  constructor(section, changed) {
    this.section = section;
    this.id = section.dataset.q ?? "";
    this.steps = steps(/** @type {Element} */ (section.querySelector(".q-a")));
    this.shown = 0;
    this.changed = changed;
    section.querySelector(".q-try")?.remove();
    const controls = /** @type {HTMLTemplateElement} */ (document.getElementById("try")).content.cloneNode(true);
    section.append(controls);
    this.controls = /** @type {HTMLElement} */ (section.querySelector(".q-try"));
    this.controls.addEventListener("click", (event) => this.press(/** @type {Element} */ (event.target)));
    section.querySelector("summary")?.addEventListener("click", (event) => {
      event.preventDefault(); // answers are open while reading; in self-test this is the button
      if (testing()) this.show(this.done ? 0 : this.steps.length);
    });
    section.querySelector(".q-a")?.addEventListener("click", (event) => {
      if (testing() && /** @type {Element} */ (event.target).closest(".next")) this.show(this.shown + 1);
    });
  }

  get done() {
    return this.shown >= this.steps.length;
  }

  /** @param {Element} button */
  press(button) {
    if (button.matches("[data-next]")) this.show(this.shown + 1);
    else if (button.matches("[data-all]")) this.show(this.steps.length);
    else if (button.matches("[data-grade]")) this.grade(button.getAttribute("data-grade") === "recalled");
  }

  /** The next point, or the whole answer where some of it is shown. */
  advance() {
    if (!this.done) this.show(this.shown ? this.steps.length : 1);
  }

  /** @param {number} count */
  show(count) {
    const pressed = this.controls.contains(document.activeElement);
    this.shown = count;
    this.paint();
    this.changed();
    if (pressed && this.done) /** @type {HTMLElement} */ (this.controls.querySelector("[data-grade]")).focus();
  }

  /** @param {boolean} known */
  grade(known) {
    write("known", { ...read("known", {}), [this.id]: known });
  }

  paint() {
    const test = testing();
    const { section, shown, steps: points, controls } = this;
    points.forEach((point, position) => {
      point.item?.classList.toggle("blank", test && position >= shown);
      point.item?.classList.toggle("next", test && position === shown);
      for (const other of point.others) other.toggleAttribute("data-gone", test && position >= shown);
    });
    section.classList.toggle("asking", test && !this.done);
    section.dataset.state = test ? (this.done ? "shown" : "asked") : "read";
    section.classList.toggle("known", read("known", /** @type {Record<string, boolean>} */ ({}))[this.id] === true);
    controls.hidden = !test;
    const [next, all] = /** @type {NodeListOf<HTMLElement>} */ (controls.querySelectorAll("[data-next], [data-all]"));
    next.hidden = this.done || points.length < 2;
    next.textContent = shown ? words.next : words.first;
    all.hidden = this.done;
    all.textContent = points.length < 2 ? words.answer : words.all;
    const count = /** @type {HTMLElement} */ (controls.querySelector(".q-count"));
    count.textContent = points.length < 2 ? "" : words.points.replace("{seen}", shown).replace("{total}", points.length);
    /** @type {HTMLElement} */ (controls.querySelector(".q-grade")).hidden = !this.done;
  }
}

/** Prose belongs to the point before it, an introduction to the first. @param {Element} answer @returns {Step[]} */
function steps(answer) {
  /** @type {Step[]} */
  const found = [];
  /** @type {Element[]} */
  let waiting = [];
  for (const part of answer.children) {
    if (part.matches("ol, ul")) {
      for (const item of part.children) {
        found.push({ item, others: waiting });
        waiting = [];
      }
    } else {
      (found.at(-1)?.others ?? waiting).push(part);
    }
  }
  return found.length ? found : [{ others: waiting }];
}

class SelfTest extends HTMLElement {
  connectedCallback() {
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.moveOld();
    this.questions = [...this.querySelectorAll(".q")].map(
      (section) => new Question(/** @type {HTMLElement} */ (section), () => this.count()),
    );
    this.querySelector("[data-switch]")?.addEventListener("click", () => this.toggle(), { signal });
    addEventListener("hashchange", () => this.open(), { signal });
    watch(() => this.paint(), signal);
    this.paint();
    this.open();
  }

  disconnectedCallback() {
    this.leaving?.abort();
  }

  /** What was known of a question under an id that it had before. */
  moveOld() {
    const known = read("known", /** @type {Record<string, boolean>} */ ({}));
    for (const section of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-formerly]"))) {
      const old = section.dataset.formerly?.split(" ").find((name) => name in known);
      if (old && !((section.dataset.q ?? "") in known)) write("known", { ...known, [section.dataset.q ?? ""]: known[old] });
    }
  }

  toggle() {
    if (testing()) delete root.dataset.selftest;
    else root.dataset.selftest = "";
    write("selftest", testing());
    for (const question of this.questions ?? []) question.shown = 0;
    this.paint();
  }

  /** A link into an answer shows it, and its question below the bars. */
  open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const question = this.questions?.find((each) => target && each.section.contains(target));
    if (!question) return;
    /** @type {HTMLDetailsElement} */ (question.section.querySelector("details")).open = true;
    if (testing()) question.show(question.steps.length);
    question.section.scrollIntoView();
  }

  /** @param {EventTarget | null} section */
  advance(section) {
    this.questions?.find((question) => question.section === section)?.advance();
  }

  paint() {
    this.querySelector("[data-switch]")?.setAttribute("aria-checked", String(testing()));
    for (const question of this.questions ?? []) question.paint();
    this.count();
  }

  count() {
    const known = read("known", /** @type {Record<string, boolean>} */ ({}));
    const all = this.questions ?? [];
    this.say("[data-known]", all.filter(({ id }) => known[id]).length);
    this.say("[data-seen]", all.filter(({ done }) => done).length);
  }

  /** @param {string} selector @param {number} count */
  say(selector, count) {
    const place = this.querySelector(selector);
    if (place) place.textContent = String(count);
  }
}

customElements.define("self-test", SelfTest);
export { SelfTest };
