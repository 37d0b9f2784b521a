"use strict";
const SHOWN = 5; // results a side at first, and for every "more"
const COUNT = 20; // results a side that the sliders order
const MOST = 2; // the largest weight of a slider
const LONG = 300; // characters of a conclusion in a source line
const LOOKS = { PRO: "pro", CON: "con", FIRST: "pro", SECOND: "con" };
const models = new Map([...document.querySelectorAll(".answers")].map((line) =>
  [line.dataset.task, { line, note: line.dataset.note, weights: JSON.parse(line.dataset.weights) }]));

let answer = null; // what was found, and how it is looked at
let asked = null; // { task, q, blend }: the request behind it
let weights = {}; // of the sliders
let shown = {}; // results by side
let latest = 0; // the number of the newest request: older answers come too late

// ---- the address of a view, and what is asked -----------------------------------------------------

const join = (some) => Object.values(some).map((weight) => String(Number(weight.toFixed(3)))).join(",");
const usual = () => models.get(asked.task).weights;

function query({ task, q, blend }, more = {}) {
  return new URLSearchParams({ task, q, ...(blend ? { blend } : {}), ...more }).toString();
}

function address() {
  const moved = join(weights) === (asked.blend || join(usual())) ? {} : { weights: join(weights) };
  return `?${query(asked, moved)}`;
}

function parsed(text, names) {
  const given = (text || "").split(",").map(Number);
  const sound = text && given.length === names.length && given.every((weight) => weight >= 0 && weight <= 1000);
  return sound && given.some(Boolean) ? Object.fromEntries(names.map((name, at) => [name, given[at]])) : null;
}

async function get(path) {
  const response = await fetch(path);
  const found = await response.json();
  if (response.ok) return found;
  const wait = response.headers.get("retry-after");
  throw new Error(found.error + (wait ? ` in ${wait} seconds` : ""));
}

function fail(error) {
  byId("error").hidden = false;
  byId("error").textContent = error instanceof TypeError ? "The server does not answer: is it still running?" : `${error.message}.`;
  say("");
}

const say = (text) => { byId("status").textContent = text; };

async function ask(request, slid, remember) {
  const number = (latest += 1);
  byId("error").hidden = true;
  say("Searching …");
  try {
    const found = await get(`api/search?${query(request, { k: COUNT })}`);
    if (number !== latest) return;
    [answer, asked] = [found, { ...request, reasons: null }];
    const names = Object.keys(answer.weights);
    weights = parsed(slid, names) || { ...answer.weights };
    shown = Object.fromEntries(answer.groups.map(({ side }) => [side, SHOWN]));
    document.title = `${answer.question} | Riposte`;
    if (remember) history.pushState(null, "", address());
    drawWeights();
    draw();
    const sides = answer.groups.map(({ side, heading }) => [heading, of(side).length]).filter(([, n]) => n);
    const said = sides.map(([heading, n]) => `${heading}: ${n}`).join(", ");
    say(answer.results.length
      ? `${said}; the best of ${counted(answer.candidates, answer.unit)}. ${answer.note}`
      : "No text shares a word with the question: try other words.");
  } catch (error) {
    if (number === latest) fail(error);
  }
}

// ---- results --------------------------------------------------------------------------------------

const of = (side) => answer.results.filter((result) => result.side === side);
const score = (result) => Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * result.scores[name], 0);

function ordered(side) {
  if (join(weights) === join(answer.weights)) return of(side); // the server's own order
  return of(side).sort((one, other) => score(other) - score(one) || (one.id < other.id ? -1 : 1));
}

function draw() {
  const { note } = models.get(asked.task);
  const groups = answer.groups.filter(({ side }) => of(side).length || side in LOOKS);
  const box = element("div", { class: "groups" }, ...groups.map(group));
  byId("results").replaceChildren(...(answer.results.length ? [...(note ? [element("p", { class: "soft" }, note)] : []), box] : []));
  byId("take").hidden = !answer.results.length;
  byId("weights-box").hidden = !answer.results.length;
  link();
}

function group({ side, heading }) {
  const results = ordered(side);
  const list = element("ol", { class: "ranked", "aria-label": heading });
  const cards = results.slice(0, shown[side]).map((result, place) => card(result, place));
  list.append(...cards);
  const kind = `group ${LOOKS[side] || ""} ${side in LOOKS ? "" : "wide"}`;
  const box = element("section", { class: kind, "data-side": side },
    element("h2", {}, heading, element("span", { class: "soft" }, results.length ? "" : "none")), list);
  const left = results.length - cards.length;
  if (left > 0) {
    const count = `Show ${Math.min(SHOWN, left)} more`;
    const more = element("button", { type: "button", class: "more", "aria-label": `${count} of ${heading}` }, count);
    more.addEventListener("click", () => {
      const start = shown[side];
      shown[side] += SHOWN;
      const made = group({ side, heading });
      box.replaceWith(made);
      made.querySelectorAll(".unit")[start].focus();
    });
    box.append(more);
  }
  return box;
}

function card(result, place) {
  const grades = Object.entries(result.scores).map(([name, grade]) => element("span", {}, `${name} ${grade.toFixed(2)}`));
  const made = element("li", { class: "unit", tabindex: "-1", "data-id": result.id },
    element("p", { class: "head" }, element("span", { class: "rank" }, `${place + 1}.`),
      element("span", {}, `score ${score(result).toFixed(3)}`),
      element("span", { class: "soft" }, `rank ${result.rank} overall`)));
  const own = [...new Set(result.sentences.map(({ argument }) => argument))];
  for (const argument of own) {
    const sentences = result.sentences.filter((sentence) => sentence.argument === argument);
    for (const { role, text } of sentences) {
      made.append(element("p", { class: role === "argument" ? "sentence text" : "sentence" }, text));
    }
    made.append(source(sentences));
  }
  made.append(element("p", { class: "grades" }, "expected: ", ...grades));
  made.append(unfolding(own.length > 1 ? "Read the arguments" : `Read the ${answer.unit === "document" ? answer.unit : "argument"}`, () => read(own, result)));
  made.append(unfolding("Why this rank", () => why(result)));
  return made;
}

function source(sentences) {
  const { argument, conclusion, stance, debate } = sentences[0];
  const kinds = sentences.map(({ role, place, of: all }) =>
    role === "premise" ? `premise ${place} of ${all}` : role === "argument" ? answer.unit : role);
  const claim = conclusion.length > LONG ? `${conclusion.slice(0, LONG)}…` : conclusion;
  const side = stance ? `, ${stance}${claim ? ` on: ${claim}` : ""}` : claim ? `, on: ${claim}` : "";
  return element("p", { class: "source" }, `${kinds.join(" and ")}${side}`, element("br"),
    `${debate && debate !== claim ? `${debate}, ` : ""}${argument}`);
}

function unfolding(title, make) {
  const details = element("details", {}, element("summary", {}, title));
  details.addEventListener("toggle", async () => {
    if (!details.open || details.childElementCount > 1) return;
    const box = element("div", { "aria-live": "polite" }, element("p", { class: "soft" }, "Loading …"));
    details.append(box);
    try {
      box.replaceChildren(...await make());
    } catch (error) {
      box.remove();
      details.open = false;
      fail(error);
    }
  });
  return details;
}

async function read(ids, result) {
  const marked = new Set(result.sentences.map(({ id }) => id));
  const { task } = asked;
  const found = await Promise.all(ids.map((id) => get(`api/argument?${new URLSearchParams({ task, id })}`)));
  return found.map(({ id, stance, debate, sentences, cut }) => element("div", { class: "argument" },
    element("p", { class: "source" }, [debate, id, stance].filter(Boolean).join(", ")),
    ...sentences.map((one) => element("p", { class: one.role },
      marked.has(one.id) ? element("mark", {}, one.text) : one.text)),
    ...(cut ? [element("p", { class: "soft" }, "The rest is not shown.")] : [])));
}

async function why(result) {
  asked.reasons ??= get(`api/reasons?${query(asked, { k: COUNT })}`);
  let found;
  try {
    found = await asked.reasons;
  } catch (error) {
    asked.reasons = null;
    throw error;
  }
  const rows = found.families.map((row, at) => ({ ...row, value: weights[row.dimension] * found.units[result.id][at] }));
  const most = Math.max(...rows.map((row) => Math.abs(row.value)));
  const sum = (some) => some.reduce((total, row) => total + row.value, 0);
  const table = element("table", { class: "parts" }, element("caption", { class: "soft" },
    `Contribution of each feature family to the score, relative to the mean of the candidates of its step: ${signed(sum(rows))} in total`));
  for (const dimension of Object.keys(weights)) {
    const own = rows.filter((row) => row.dimension === dimension);
    const heard = own.filter((row) => Math.abs(row.value) >= 0.0005).sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
    table.append(element("tbody", {},
      element("tr", {}, element("th", { scope: "rowgroup", colspan: "2" }, dimension),
        element("td", { class: "number" }, signed(sum(own)))),
      ...heard.map((row) => element("tr", {}, element("th", { scope: "row" }, row.family),
        element("td", { class: "bar-cell" }, bar(row.value, most, 12)),
        element("td", { class: "number" }, signed(row.value))))));
  }
  return [table];
}

// ---- weights, and what can be taken along ---------------------------------------------------------

function drawWeights() {
  byId("weights").replaceChildren(...Object.keys(weights).map((name) => {
    const id = `weight-${name}`;
    const output = element("output", { for: id }, weights[name].toFixed(2));
    const slider = element("input", { type: "range", id, min: 0, max: Math.max(MOST, weights[name]), step: 0.05 });
    slider.value = weights[name];
    slider.addEventListener("input", () => {
      weights[name] = Number(slider.value);
      output.textContent = weights[name].toFixed(2);
      draw();
      history.replaceState(null, "", address());
    });
    slider.addEventListener("change", () => say("Reordered."));
    return element("div", { class: "field slider" }, element("label", { for: id }, name), output, slider);
  }));
}

function link() {
  const now = { ...asked, blend: join(weights) === join(usual()) ? "" : join(weights) };
  byId("run").href = `api/run?${query(now)}`;
  byId("json").href = `api/search?${query(now, { k: COUNT })}`;
  byId("again").disabled = join(weights) === join(answer.weights) || !Object.values(weights).some(Boolean);
  byId("reset").disabled = join(weights) === join(usual());
}

byId("again").addEventListener("click", () => ask({ ...asked, blend: join(weights) }, "", true));
byId("reset").addEventListener("click", () => {
  if (asked.blend) return ask({ ...asked, blend: "" }, "", true);
  weights = { ...usual() };
  drawWeights();
  draw();
  history.replaceState(null, "", address());
  return say("Reordered by the weights of the model.");
});
byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The address is in the clipboard.");
  } catch {
    say(`The address of this view: ${location.href}`);
  }
});

// ---- start ----------------------------------------------------------------------------------------

const chosen = () => document.querySelector("[name=task]:checked").value;

function showTask() {
  for (const [task, { line }] of models) line.hidden = task !== chosen();
}

function restore() {
  const given = new URLSearchParams(location.search);
  const task = models.has(given.get("task")) ? given.get("task") : [...models.keys()][0];
  document.querySelector(`[name=task][value="${task}"]`).checked = true;
  byId("q").value = given.get("q") || "";
  showTask();
  if (given.get("q")) ask({ task, q: given.get("q"), blend: given.get("blend") || "" }, given.get("weights"), false);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ task: chosen(), q: byId("q").value, blend: "" }, "", true);
});
for (const radio of document.querySelectorAll("[name=task]")) {
  radio.addEventListener("change", () => {
    showTask();
    if (byId("q").value.trim()) ask({ task: chosen(), q: byId("q").value, blend: "" }, "", true);
  });
}
addEventListener("popstate", restore);
restore();
