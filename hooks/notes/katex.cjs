// Typesets formulas: JSON lines {key, tex, display} in, JSON lines {key, html, faults} out.
"use strict";
const path = require("node:path");
const katex = require(path.join(process.argv[2], "dist", "katex.js"));

const LARGEST = 50; // em: more would cover the page
const ROW = 3; // em that a row of an array may add
const STYLE = /style="[^"]*"/g;
const LOOSE_OPERATOR = /<mo>\u2061<\/mo>(?=<\/m(?:sub|sup|under|over))/g; // KaTeX puts a third child into s_{\max}
const LENGTH = /(-?[\d.]+)em/g;

const CURES = [
  [/^Expected 'EOF', got '&'|alignment/i, "put it in \\begin{aligned} … \\end{aligned}"],
  [/can be used only in display mode/, "write $$ … $$ with \\begin{aligned}, or take the environment out"],
  [/\\tag works only in display/, "write the formula as $$ … $$"],
  [/Multiple \\tag/, "use \\begin{align} … \\end{align}, where each row may have a \\tag"],
  [/\\\\ or \\newline/, "use \\begin{aligned} … \\end{aligned}"],
  [/^No such environment: eqnarray/, "use \\begin{align} … \\end{align}"],
  [/^Undefined control sequence/, "KaTeX does not know this command; see “Support Table” of its documentation"],
];

function withCure(message) {
  const cure = CURES.find(([pattern]) => pattern.test(message));
  return cure ? `${message.replace(/\.$/, "")}: ${cure[1]}` : message;
}

function isTooLarge(html, tex) {
  const most = LARGEST + ROW * (tex.match(/\\\\|\\cr/g) ?? []).length;
  const styles = (html.match(STYLE) ?? []).join(" ");
  return [...styles.matchAll(LENGTH)].some(([, length]) => Math.abs(length) > most);
}

function typeset({ key, tex, display }) {
  const faults = [];
  const report = (message, position) => faults.push({ message: withCure(message), position });
  const options = {
    displayMode: display,
    output: "htmlAndMathml",
    throwOnError: true,
    maxSize: LARGEST + 1,
    maxExpand: 500,
    macros: {}, // fresh, so that a macro of one formula does not leak into the next
    trust: ({ command }) => {
      report(`${command} is not allowed in notes`);
      return false;
    },
    strict: (code, message, token) => {
      const said = code === "unicodeTextInMathMode" || code === "htmlExtension"; // by the parser; by trust
      if (!said) report(message, token?.loc?.start);
      return "ignore";
    },
  };
  let html = "";
  try {
    html = katex.renderToString(tex, options).replace(LOOSE_OPERATOR, "");
  } catch (error) {
    report(error.rawMessage ?? error.message, error.position);
  }
  if (isTooLarge(html, tex)) report(`a size above ${LARGEST}em`);
  return { key, html, faults };
}

let input = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (input += chunk));
process.stdin.on("end", () => {
  for (const line of input.split("\n")) if (line) process.stdout.write(JSON.stringify(typeset(JSON.parse(line))) + "\n");
});
