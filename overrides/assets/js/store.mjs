// @ts-check
// What a reader's browser remembers. The only module that touches localStorage.

/** Two courses of one user, under two paths of one host, do not mix. */
const config = JSON.parse(document.getElementById("__config")?.textContent ?? '{"base":"."}');
const base = new URL(config.base.replace(/\/*$/, "/"), location.href);
/** @param {string} name */
const key = (name) => `study ${base.pathname} ${name}`;

/** What could not be saved lives as long as the page. @type {Map<string, unknown>} */
const unsaved = new Map();

/**
 * A remembered value; `fallback` where there is none, or rubbish.
 * @template T
 * @param {string} name
 * @param {T} fallback
 * @returns {T}
 */
export function read(name, fallback) {
  if (unsaved.has(name)) return /** @type {T} */ (unsaved.get(name));
  try {
    const value = JSON.parse(localStorage.getItem(key(name)) ?? "null");
    return alike(value, fallback) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** @param {unknown} value @param {unknown} sample */
function alike(value, sample) {
  return value !== null && typeof value === typeof sample && Array.isArray(value) === Array.isArray(sample);
}

/**
 * Remembers a value, and says whether it will be there next time.
 * @param {string} name
 * @param {unknown} value
 */
export function write(name, value) {
  try {
    localStorage.setItem(key(name), JSON.stringify(value));
    unsaved.delete(name);
  } catch {
    unsaved.set(name, value);
  }
  dispatchEvent(new CustomEvent("study", { detail: name }));
  return !unsaved.has(name);
}

/** Whether anything is kept for this page only. */
export const saves = () => unsaved.size === 0;

/**
 * Calls back when a value changes, here or in another tab, until the signal ends it.
 * @param {() => void} callback
 * @param {AbortSignal} signal
 */
export function watch(callback, signal) {
  addEventListener("study", callback, { signal });
  addEventListener("storage", callback, { signal });
}
