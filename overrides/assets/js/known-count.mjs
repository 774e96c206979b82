// @ts-check
// <known-count> wraps a column of chapters: how many questions of each the reader knows.
import { read, watch } from "./store.mjs";

class KnownCount extends HTMLElement {
  connectedCallback() {
    this.leaving = new AbortController();
    watch(() => this.paint(), this.leaving.signal);
    this.paint();
  }

  disconnectedCallback() {
    this.leaving?.abort();
  }

  paint() {
    const known = read("known", /** @type {Record<string, boolean>} */ ({}));
    let sum = 0;
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-of]"))) {
      const ids = (place.dataset.of ?? "").split(" ");
      const count = ids.filter((id) => known[id] === true).length;
      place.textContent = count ? `${count}/` : "";
      place.closest("li")?.style.setProperty("--done", String(count / ids.length));
      sum += count;
    }
    const total = this.querySelector("[data-sum]");
    if (total) total.textContent = String(sum);
  }
}

customElements.define("known-count", KnownCount);
