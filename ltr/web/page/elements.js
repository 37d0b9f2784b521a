const byId = (id) => document.getElementById(id);
const SIGNS = { "-1": "\u2212", 0: "", 1: "+" };
const signed = (value) => SIGNS[Math.sign(Math.round(1000 * value))] + Math.abs(value).toFixed(3);
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

// ---- elements: texts are strangers', so they only ever become text nodes --------------------------

function element(tag, attributes = {}, ...children) {
  const drawn = ["svg", "line", "rect"].includes(tag);
  const made = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(title, act, attributes) {
  const made = element("button", { type: "button", ...attributes }, title);
  made.addEventListener("click", act);
  return made;
}

function bar(value, most, height) {
  const width = most > 0 ? (48 * Math.abs(value)) / most : 0;
  return element("svg", { height, "aria-hidden": "true" },
    element("line", { x1: "50%", x2: "50%", y1: 0, y2: height, class: "axis" }),
    element("rect", {
      x: `${value < 0 ? 50 - width : 50}%`, y: 2, width: `${width}%`, height: height - 4, rx: 2,
      class: value < 0 ? "down" : "up",
    }));
}
