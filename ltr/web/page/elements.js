const byId = (id) => document.getElementById(id);
const signed = (value) => value.toLocaleString("en", { signDisplay: "exceptZero", minimumFractionDigits: 3, maximumFractionDigits: 3 });
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

// ---- elements: texts are strangers', so they only ever become text nodes --------------------------

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(title, act, attributes) {
  const made = element("button", { type: "button", ...attributes }, title);
  made.addEventListener("click", act);
  return made;
}
