// @ts-check
// <topic-filter> wraps the topic index: it narrows while a word is typed, in Chinese, English or as an abbreviation,
// and to the questions that bear a chosen seal.

class TopicFilter extends HTMLElement {
  connectedCallback() {
    const field = /** @type {HTMLInputElement} */ (this.querySelector("input"));
    this.oninput = () => this.narrow(field.value, this.trust());
    this.narrow(field.value, this.trust());
  }

  trust() {
    return /** @type {HTMLInputElement | null} */ (this.querySelector("[name=trust]:checked"))?.value ?? "";
  }

  /** @param {string} typed @param {string} trust */
  narrow(typed, trust) {
    const words = typed.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
    let total = 0;
    for (const area of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".area"))) {
      let here = 0;
      for (const topic of /** @type {NodeListOf<HTMLElement>} */ (area.querySelectorAll(".topic"))) {
        const text = `${topic.dataset.key} ${topic.textContent}`.normalize("NFKC").toLowerCase();
        const rows = /** @type {HTMLElement[]} */ ([...topic.querySelectorAll(".qlist > li")]);
        for (const row of rows) row.hidden = Boolean(trust) && row.dataset.trust !== trust;
        topic.hidden = rows.every((row) => row.hidden) || !words.every((word) => text.includes(word));
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
