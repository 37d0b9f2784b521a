"use strict";
const SHOWN = 5; // points and single results a side at first
const COUNT = Number(document.getElementById("q").dataset.count); // results a side that are asked for at first
const TOP = 2; // the best grade, and the largest weight of a slider
const GRADED = ["relevance", "quality", "coherence"]; // other scores are of baselines in the blend
const SLIDERS = {
  relevance: "how much a text is about the question",
  quality: "how well it argues, in clear words",
  coherence: "how well its two sentences belong together",
  words: "how many of the question's words it has",
  argues: "how much it gives reasons",
  source: "how high its source ranked it",
};
const NAME = 12; // words of a result in the names of its controls
const ALL = 100; // results a side at most
const LOOKS = { PRO: "pro", CON: "con", FIRST: "pro", SECOND: "con" };
const SAYS = { // what a person says of conclusions: the reply, and what it means
  agree: ["Yes", "is the same as answering yes"],
  oppose: ["No, the opposite", "is the opposite: the same as answering no"],
  neither: ["Neither", "is neither yes nor no"],
};

let answer = null; // what was found
let asked = null; // { task, q, blend, as_typed, k, agree, oppose, neither }: the request behind it, as its address has it
let sent = null; // what the server was asked: also for how many results, and with the sides that a person gave
let reasons = null; // a promise of them, once somebody wants one
let shown = {}; // points and single results by side
let from = ""; // the only debate, page or site whose results are shown
const unfolded = new Set(); // points and sides whose other results are unfolded
let latest = 0; // the number of the newest request: older answers come too late

// ---- the address of a view, and what is asked -----------------------------------------------------

function query(request) {
  const pairs = Object.entries(request).flatMap(([name, own]) => [own].flat().map((one) => [name, one]));
  return new URLSearchParams(pairs.filter(([, one]) => one)).toString();
}

async function get(path) {
  const response = await fetch(path);
  if (response.status === 503) throw new Error("Too many requests wait: try again in a few seconds");
  const found = await response.json();
  if (response.ok) return found;
  throw new Error(found.error);
}

function fail(error) {
  byId("error").hidden = false;
  byId("error").textContent = error instanceof TypeError ? "The server does not answer: is it still running?" : `${error.message}.`;
  say("");
}

const say = (text) => { byId("status").textContent = text; };

async function ask(request, remember = "pushState", done = "") {
  const number = (latest += 1);
  byId("error").hidden = true;
  say("Searching …");
  try {
    const first = answer?.task !== request.task; // whose corpus is not known
    let full = { k: COUNT, ...request, moved: first ? [] : moved(answer) };
    let found = await get(`api/search?${query(full)}`);
    if (first && moved(found).length) {
      full = { ...full, moved: moved(found) };
      found = await get(`api/search?${query(full)}`);
    }
    if (number !== latest) return;
    if (request.q !== asked?.q || request.task !== asked.task) {
      shown = Object.fromEntries(found.groups.map(({ side }) => [side, SHOWN]));
      unfolded.clear();
      from = "";
    }
    [answer, asked, sent, reasons] = [found, request, full, null];
    document.title = `${answer.question} | Riposte`;
    history[remember](null, "", `?${query(request)}`);
    drawWeights();
    draw();
    const weak = answer.results.filter((result) => result.weak).length;
    const folded = answer.sides_known && weak ? `${weak} weaker ${weak > 1 ? "ones are" : "one is"} folded.` : "";
    say(done || [answer.sides_known, folded, answer.note].filter(Boolean).join(" ") || "Nothing here is about this question.");
  } catch (error) {
    if (number === latest) fail(error);
  }
}

// ---- results --------------------------------------------------------------------------------------

const host = (url) => (/^https?:/i.test(url) && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : "");
const sources = ({ sentences }) => new Set(sentences.flatMap(({ debate, url }) => [debate, host(url)]).filter(Boolean));
const of = (side) => answer.results.filter((result) => result.side === side && (!from || sources(result).has(from)));
const worth = (side) => of(side).filter(({ weak }) => !weak);

function draw() {
  const sided = Object.keys(LOOKS).some((side) => of(side).length); // else two empty boxes would come first
  const groups = answer.groups.filter(({ side }) => of(side).length || (sided && side in LOOKS));
  const some = answer.results.some(({ weak }) => !weak);
  const left = answer.results.length && !some // nothing here is about the question: weak ones do not come first
    ? [fold(`${counted(answer.results.length, "text")} with some of its words`, answer.results, "weak", "")] : [];
  const box = some ? [...overview(groups), ...filter(), element("div", { class: "groups" }, ...groups.map(group))] : left;
  const where = `${answer.corpus}, ${new Date().toLocaleDateString("en", { dateStyle: "long" })}`;
  byId("results").replaceChildren(element("h2", { class: "paper" }, answer.question), element("p", { class: "paper" }, where), ...understood(), ...box);
  byId("take").hidden = !some;
  byId("weights-box").hidden = !some || !Object.keys(answer.weights).length;
  byId("examples").hidden = true;
  link();
}

// A choice of one debate, page or site.
function filter() {
  const counts = new Map();
  for (const name of answer.results.flatMap((result) => [...sources(result)])) counts.set(name, (counts.get(name) ?? 0) + 1);
  const choices = [...counts].filter(([, n]) => n < answer.results.length).sort(([, one], [, other]) => other - one)
    .map(([name, n]) => element("option", { value: name }, `${name} (${n})`));
  const select = element("select", { id: "source" }, element("option", { value: "" }, "All sources"), ...choices);
  select.value = from;
  select.addEventListener("change", () => {
    from = select.value;
    draw();
    byId("source").focus();
    say(from ? `Only from ${from}.` : "From all sources.");
  });
  return !choices.length ? [] : [element("p", { class: "from" }, element("label", { for: "source" }, "From"), " ", select)];
}

// How the question was read: its spelling, what a person said of conclusions, and one that may be what is asked.
function understood() {
  const again = (title, change, name = title) => button(title, () => ask({ ...asked, ...change }), { class: "small", "aria-label": name });
  const replies = Object.entries(SAYS);
  const lines = replies.flatMap(([name, [, means]]) => (asked[name] ?? []).map((claim, at, all) => [
    `You said: “${claim}” ${means}.`, again("Undo", { [name]: all.filter((other) => other !== claim) }, `Undo what you said of “${claim}”`)]));
  if (answer.spelled) {
    const typed = again(`Search for “${answer.spelled}” instead`, { q: answer.spelled, as_typed: "1" });
    lines.unshift(["Showing results for ", element("em", {}, answer.question), typed]);
  }
  if (answer.ask) {
    const buttons = replies.map(([name, [reply]]) => again(reply, { [name]: [...(asked[name] ?? []), answer.ask] }));
    lines.push([`Is saying “${answer.ask}” the same as answering yes?`, ...buttons]);
  }
  return lines.map((parts) => element("p", { class: "asked" }, ...parts));
}

// The key points of all sides, before any result.
function overview(groups) {
  const keysOf = (side) => answer.points.filter(({ key, number }) => key && worth(side).some(({ point }) => point === number));
  if (!groups.some(({ side }) => keysOf(side).length)) return [];
  const boxes = groups.filter(({ side }) => side in LOOKS).map(({ side, heading }) => {
    const [own, keys] = [worth(side), keysOf(side)];
    const none = own.length ? "No text says a point in one short sentence." : "No text takes this side.";
    return element("div", { class: LOOKS[side] }, element("h3", {}, heading), keys.length
      ? element("ul", { "aria-label": `Key points, ${heading}` }, ...keys.map(keyPoint)) : element("p", { class: "soft" }, none));
  });
  return [element("section", { class: "overview", "aria-labelledby": "overview-h" },
    element("h2", { id: "overview-h" }, "Key points"), element("div", {}, ...boxes))];
}

// Move the focus to a result, or to the heading of its point, wherever it is folded away.
function show({ id, side, point, weak }, target = `[data-id="${CSS.escape(id)}"]`) {
  const at = entries(side).findIndex((own) => own.some((one) => one.id === id));
  shown[side] = Math.max(shown[side], at + 1);
  if (weak || entries(side)[at][0].id !== id) unfolded.add(weak ? `weak ${side}` : `point ${point}`);
  draw();
  setTimeout(() => document.querySelector(target)?.focus());
}

async function move(id) {
  await ask(asked, "replaceState", "Moved. Press its button again to undo.");
  const result = answer.results.find((one) => one.id === id);
  if (result) show(result);
}

function keyPoint({ number, side, heading, arguments: count }) {
  const made = element("a", { href: `#point-${number}` }, heading);
  made.addEventListener("click", (event) => {
    event.preventDefault(); // the address of the view stays
    show(worth(side).find(({ point }) => point === number), made.hash);
  });
  const many = element("span", { class: "soft" }, ` ${count} arguments make this point`);
  return element("li", {}, made, ...(count > 1 ? [many] : []));
}

// Results of one point, and single results, in the order of the best of each.
const entries = (side) => [...Map.groupBy(worth(side), ({ point, id }) => point ?? id).values()];

function group({ side, heading }) {
  const [all, weak] = [entries(side), of(side).filter(({ weak: own }) => own)];
  const box = element("section", { class: `group ${LOOKS[side] || "wide"}`, "data-side": side },
    element("h2", {}, all.length ? heading : `${heading}: none`));
  box.append(element("ol", { class: "entries", "aria-label": heading }, ...all.slice(0, shown[side]).map(entry)));
  const more = !from && !asked.k?.length && of(side).length >= COUNT && answer.counts[side] > worth(side).length;
  if (more || all.length > shown[side]) {
    box.append(button("Show all", async () => {
      const start = shown[side];
      shown[side] = ALL;
      if (more) await ask({ ...asked, k: [ALL] });
      else draw();
      document.querySelectorAll(`[data-side="${side}"] .entries > li`)[start]?.focus();
    }, { class: "more", "aria-label": `Show all of ${heading}` }));
  }
  if (weak.length) box.append(fold(`Weaker results (${weak.length})`, weak, `weak ${side}`, heading));
  return box;
}

function entry([first, ...others]) {
  const point = answer.points.find(({ number }) => number === first.point);
  if (!point) return card(first);
  const box = element("li", { class: "point", tabindex: "-1", id: `point-${point.number}` },
    element("h3", {}, point.heading), element("ol", { class: "ranked", "aria-label": point.heading }, card(first, point.heading)));
  if (others.length) box.append(fold(`${others.length} more on this point`, others, `point ${point.number}`, point.heading));
  return box;
}

const fold = (title, results, key, about) => unfolding(title, async () =>
  [element("ol", { class: "ranked", "aria-label": title }, ...results.map((result) => card(result)))], key, { "aria-label": `${title} ${about}`.trim() });

// A text with the words of the question marked.
function marked(text) {
  const parts = text.split(/([\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*)/u);
  const words = new Set(answer.words);
  return parts.filter(Boolean).map((part) => (words.has(part.toLowerCase().replaceAll("’", "'")) ? element("mark", {}, part) : part));
}

const plain = (text) => text.replace(/[ .,]+$/, "");

// A first sentence that stands above as the heading is not shown again; a later one is, in its place.
function card(result, heading = "") {
  const made = element("li", { class: "unit", tabindex: "-1", "data-id": result.id });
  const own = Map.groupBy(result.sentences, ({ argument }) => argument);
  if (result.likely) made.append(tag(`likely ${answer.groups.find(({ side }) => side === result.side).heading.toLowerCase()}`));
  for (const sentences of own.values()) {
    const left = sentences.filter(({ shown: text, before }, at) => at || before || plain(text) !== plain(heading));
    made.append(...left.map((sentence) => sentenceOf(sentence, heading)), source(sentences[0]));
  }
  if (result.why) made.append(element("p", { class: "source" }, result.why));
  const noun = answer.unit === "document" ? answer.unit : "argument";
  const { shown: text } = result.sentences.find(({ role }) => role !== "conclusion") ?? result.sentences[0];
  const about = text.split(" ").slice(0, NAME).join(" ");
  const name = (title) => ({ "aria-label": `${title}: ${about}` }); // tells controls of one title apart
  const reading = `Read the ${noun}${own.size > 1 ? "s" : ""}`;
  made.append(element("div", { class: "tools" },
    unfolding(reading, () => read([...own.keys()], result, name), "", name(reading)), judging(result, about),
    element("a", { href: `?${query({ task: asked.task, q: text.slice(0, byId("q").maxLength) })}`, ...name("More like this") }, "More like this"),
    button("Copy with source", () => copy(result), { class: "small", ...name("Copy with source") })));
  return made;
}

const argues = (stance) => (stance === "CON" ? "argues against:" : "argues for:");
const tag = (text) => element("span", { class: "tag" }, text);

function sentenceOf({ role, shown: text, before, stance }, heading) {
  const parts = marked(text);
  if (role === "conclusion" && stance === "CON") parts.unshift(tag(argues(stance)), " "); // its argument is against it
  if (before && plain(before) !== plain(heading)) parts.unshift(element("span", { class: "before" }, before), " ");
  return element("p", { class: role === "argument" ? "sentence text" : "sentence" }, ...parts);
}

const named = ({ debate, conclusion, argument }) => debate || conclusion || argument;

function source({ url, ...sentence }) {
  if (!host(url)) return element("p", { class: "source" }, named(sentence));
  const title = `${named(sentence)} (${host(url)})`;
  return element("p", { class: "source" }, element("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, title));
}

const said = ({ sentences }) => sentences.flatMap(({ before, shown: text }) => (before ? [before, text] : [text])).join(" ");
async function copy(result) {
  const origins = new Set(result.sentences.map((sentence) => [named(sentence), sentence.url].filter(Boolean).join(", ")));
  const text = [said(result), ...origins].join("\n");
  try {
    await navigator.clipboard.writeText(text);
    say("The text and its source are in the clipboard.");
  } catch {
    say(`Copy it from here: ${text}`);
  }
}

// What a title unfolds; it stays unfolded while results move where it has a key.
function unfolding(title, make, key = "", attributes = {}) {
  const details = element("details", {}, element("summary", attributes, title));
  const fill = () => {
    const box = element("div", key ? {} : { "aria-live": "polite" }, element("p", { class: "soft" }, "Loading …"));
    details.append(box);
    make().then((parts) => box.replaceChildren(...parts), (error) => {
      box.remove();
      details.open = false;
      fail(error);
    });
  };
  details.open = unfolded.has(key);
  if (details.open) fill();
  details.addEventListener("toggle", () => {
    if (key) unfolded[details.open ? "add" : "delete"](key);
    if (details.open && details.childElementCount === 1) fill();
  });
  return details;
}

// A result in its context, and why it has its rank.
async function read(ids, result, name) {
  const own = new Set(result.sentences.map(({ id }) => id));
  const found = await Promise.all(ids.map((id) => get(`api/argument?${query({ task: asked.task, id })}`)));
  const texts = found.map(({ id, stance, debate, sentences }) => element("div", { class: "argument" },
    element("p", { class: "source" }, [debate, id].filter(Boolean).join(", ")),
    ...sentences.map((one) => element("p", { class: one.role },
      ...(one.role === "conclusion" && stance ? [tag(argues(stance)), " "] : []), own.has(one.id) ? element("mark", {}, one.text) : one.text))));
  return [...texts, unfolding("Why this rank", () => why(result), "", name("Why this rank"))];
}

// Rank and scores of a result, and what they are made of.
async function why(result) {
  reasons ??= get(`api/reasons?${query(sent)}`);
  const found = await reasons.catch((error) => { reasons = null; throw error; });
  const rows = found.families.map(({ dimension, family }, at) =>
    ({ name: `${dimension}: ${family}`, value: answer.weights[dimension] * found.units[result.id][at] }));
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  const heard = rows.filter(({ value }) => Math.abs(value) >= 0.0005).sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
  const table = element("table", {}, element("caption", { class: "soft" },
    `Contribution of each feature family to the score, relative to the mean of the candidates of its step: ${signed(total)} in total`),
    ...heard.map(({ name, value }) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, signed(value)))));
  const scores = Object.entries(result.scores).map(([name, score]) =>
    `${name} ${score.toFixed(1)}${GRADED.includes(name) ? ` of ${TOP}` : ""}`);
  const alike = result.alike.length ? [`${counted(result.alike.length, "near-duplicate")} left out`] : [];
  const rank = `Rank ${result.rank} of ${counted(answer.candidates, answer.unit)}`;
  return [element("p", { class: "source" }, [rank, ...scores, ...alike].join("; ")), table];
}

// ---- weights, and what can be taken along ---------------------------------------------------------

function drawWeights() {
  const box = byId("weights");
  if (box.dataset.task !== asked.task) {
    box.replaceChildren(...Object.keys(answer.weights).map((name) => {
      const [id, about] = [`weight-${name}`, `about-${name}`];
      const slider = element("input", { type: "range", id, min: 0, max: TOP, step: 0.05, "aria-describedby": about });
      slider.addEventListener("change", () => {
        const blend = Object.keys(answer.weights).map((one) => byId(`weight-${one}`).value).join(",");
        ask({ ...asked, blend }, "replaceState", "Reordered.");
      });
      const output = element("output", { for: id });
      slider.addEventListener("input", () => { output.textContent = Number(slider.value).toFixed(2); });
      return element("div", { class: "slider" }, element("label", { for: id }, name), output, slider,
        element("small", { class: "soft", id: about }, SLIDERS[name] ?? ""));
    }));
  }
  box.dataset.task = asked.task;
  for (const [name, weight] of Object.entries(answer.weights)) {
    const slider = byId(`weight-${name}`);
    if (slider.matches(":active")) continue; // a person moves it
    slider.max = Math.max(TOP, weight);
    slider.value = weight;
    slider.previousSibling.textContent = weight.toFixed(2);
  }
}

function link() {
  const { task, q, blend, as_typed: typed } = asked;
  byId("run").href = `api/run?${query({ task, q, blend, as_typed: typed, topic: answer.topic })}`;
  byId("json").href = `api/search?${query(sent)}`;
  byId("markdown").href = asFile("text/markdown", markdown());
  byId("csv").href = asFile("text/csv", csv());
  linkGrades();
  byId("reset").disabled = !asked.blend?.length;
}

byId("reset").addEventListener("click", () => ask({ ...asked, blend: "" }, "replaceState", "Reordered by the weights of the model."));

// ---- start ----------------------------------------------------------------------------------------

const chosen = () => document.querySelector("[name=task]:checked").value;

function showTask() {
  for (const part of document.querySelectorAll("[data-task]")) part.hidden = part.dataset.task !== chosen();
}

function restore() {
  const given = new URLSearchParams(location.search);
  const radios = [...document.querySelectorAll("[name=task]")];
  (radios.find(({ value }) => value === given.get("task")) ?? radios[0]).checked = true;
  byId("q").value = given.get("q") || "";
  showTask();
  const more = Object.fromEntries(["blend", "as_typed", "k", ...Object.keys(SAYS)].map((name) => [name, given.getAll(name)]));
  if (given.get("q")) return ask({ task: chosen(), q: given.get("q"), ...more }, "replaceState");
  latest += 1;
  for (const id of ["take", "weights-box", "error"]) byId(id).hidden = true;
  byId("results").replaceChildren();
  byId("examples").hidden = false;
  return say("");
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ task: chosen(), q: byId("q").value });
});
for (const radio of document.querySelectorAll("[name=task]")) {
  radio.addEventListener("change", () => {
    showTask();
    if (byId("q").value.trim()) ask({ task: chosen(), q: byId("q").value });
  });
}
addEventListener("popstate", restore);
restore();
