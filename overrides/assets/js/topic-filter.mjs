// @ts-check
// <topic-filter> wraps the topic index: it narrows while a word is typed, in Chinese, English or as an abbreviation.

class TopicFilter extends HTMLElement {
  connectedCallback() {
    const field = /** @type {HTMLInputElement} */ (this.querySelector("input"));
    field.oninput = () => this.narrow(field.value);
    this.narrow(field.value);
  }

  /** @param {string} typed */
  narrow(typed) {
    const words = typed.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
    let total = 0;
    for (const area of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".area"))) {
      let here = 0;
      for (const topic of /** @type {NodeListOf<HTMLElement>} */ (area.querySelectorAll(".topic"))) {
        const text = `${topic.dataset.key} ${topic.textContent}`.normalize("NFKC").toLowerCase();
        topic.hidden = !words.every((word) => text.includes(word));
        here += Number(!topic.hidden);
      }
      area.hidden = !here;
      this.say(area.querySelector("[data-count]"), here);
      total += here;
    }
    this.say(this.querySelector("output"), total);
  }

  /** @param {Element | null} place @param {number} count */
  say(place, count) {
    const { text = "", none = "" } = /** @type {HTMLElement} */ (this.querySelector("output")).dataset;
    if (place) place.textContent = count ? text.replace("{count}", String(count)) : none;
  }
}

customElements.define("topic-filter", TopicFilter);
