// @ts-check
// <check-list> wraps the checklist: ticks are remembered on this device by the stable name of each item.
import { read, saves, watch, write } from "./store.mjs";

class CheckList extends HTMLElement {
  connectedCallback() {
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.addEventListener("change", (event) => this.tick(/** @type {HTMLInputElement} */ (event.target)), { signal });
    watch(() => this.paint(), signal);
    this.paint();
  }

  disconnectedCallback() {
    this.leaving?.abort();
  }

  /** @param {HTMLInputElement} box */
  tick(box) {
    const task = /** @type {HTMLElement | null} */ (box.closest("[data-task]"))?.dataset.task;
    if (task) write("tasks", { ...read("tasks", {}), [task]: box.checked });
  }

  paint() {
    const ticked = read("tasks", /** @type {Record<string, boolean>} */ ({}));
    let done = 0;
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-task]"))) {
      const checked = ticked[item.dataset.task ?? ""] === true;
      /** @type {HTMLInputElement} */ (item.querySelector("input")).checked = checked;
      item.classList.toggle("done", checked);
      done += Number(checked);
    }
    const count = this.querySelector("[data-done]");
    if (count) count.textContent = String(done);
    this.style.setProperty("--done", String(done / Number(this.dataset.total)));
    const warning = /** @type {HTMLElement | null} */ (this.querySelector(".unsaved"));
    if (warning) warning.hidden = saves();
  }
}

customElements.define("check-list", CheckList);
