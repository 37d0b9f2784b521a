// ---- explorer: the texts of a topic are unpacked when it is opened ---------------------------------

const spanKey = (parts) => parts.map(([start]) => start).sort((one, other) => one - other).join();
const units = (n) => counted(n, page.unit);
const absent = (role) => `(the corpus has no text for this ${role ? "sentence" : "argument"})`;

async function unpack(place) {
  const bytes = Uint8Array.from(atob(byId(`topic-${place}`).textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).json();
  data.sentences = data.arguments.flatMap(([id, stance, lines], argument) =>
    lines.map(([role, text]) => ({ argument, role, text: text ?? absent(role) })));
  for (const run of Object.values(data.runs)) {
    run.ranks = new Map(run.units.map((parts, at) => [spanKey(parts), at + 1]));
  }
  return data;
}

async function openTopic(number) {
  byId("topic").value = number;
  const started = performance.now();
  const place = page.topics.findIndex((known) => known.number === number);
  const data = await unpack(place);
  if (byId("topic").value !== number) return; // another topic was asked for meanwhile
  const [one, other] = [byId("run-a").value, byId("run-b").value];
  const runs = other && other !== one ? [one, other] : [one];
  byId("lists").className = runs.length > 1 ? "lists two" : "lists";
  byId("lists").replaceChildren(...runs.map((run) => listOf(data, run, runs.find((name) => name !== run))));
  const said = runs.map((run) => `${units(data.runs[run].units.length)} of ${run}`).join(", ");
  byId("status").textContent = `Topic ${number}: ${said}. ${page.topics[place].title}`;
  byId("lists").dataset.topic = number;
  byId("lists").dataset.milliseconds = (performance.now() - started).toFixed(1);
  byId("previous").disabled = place === 0;
  byId("next").disabled = place === page.topics.length - 1;
}

function listOf(data, run, other) {
  const total = data.runs[run].units.length;
  const list = element("ol", { class: "ranked", "aria-label": `${page.unit}s of ${run}` });
  const more = element("button", { type: "button", class: "more" });
  const box = element("div", { class: "list" }, element("h3", {}, run), list, more);
  function show() {
    const start = list.childElementCount;
    const end = Math.min(start + SLICE, total);
    for (let place = start; place < end; place += 1) list.append(card(data, run, other, place));
    more.hidden = end === total;
    more.textContent = `Show ${Math.min(SLICE, total - end)} more of ${units(total - end)}`;
    return start;
  }
  show();
  if (!total) list.replaceWith(element("p", { class: "soft" }, `This run has no ${page.unit} for this topic.`));
  more.addEventListener("click", () => {
    list.children[show()].focus();
    byId("status").textContent = `${run}: ${units(list.childElementCount)} shown.`;
  });
  return box;
}

function card(data, run, other, place) {
  const { units: ranked, stance, why, score, grades } = data.runs[run];
  const [side, look] = SIDES[stance[place]] || SIDES.Q;
  const head = element("p", { class: "head" },
    element("span", { class: "rank" }, `${place + 1}.`),
    ...(page.sides ? [element("span", { class: `stance ${look}` }, side)] : []),
    element("span", {}, `score ${score[place].toFixed(3)}`));
  const soft = (text) => head.append(element("span", { class: "soft" }, text));
  const graded = Object.entries(grades).filter(([, of]) => of[place] !== null);
  if (graded.length) soft(`graded ${graded.map(([dimension, of]) => `${dimension} ${of[place]}`).join(", ")}`);
  if (other) {
    const { ranks, units: theirs } = data.runs[other];
    const rank = ranks.get(spanKey(ranked[place]));
    soft(rank ? `rank ${rank} in ${other}` : `not among the ${theirs.length.toLocaleString("en")} of ${other}`);
  }
  const made = element("li", { class: "unit", tabindex: "-1" }, head);
  for (const [start, count] of ranked[place]) {
    for (const { text } of data.sentences.slice(start, start + Math.min(count, SENTENCES))) {
      made.append(element("p", { class: "sentence" }, text));
    }
    made.append(source(data, start, count));
  }
  if (why[place]) made.append(element("p", { class: "source" }, why[place]));
  const whole = ranked[place].length > 1 ? "Read the arguments around" : "Read the whole argument";
  made.append(unfolding(whole, () => around(data, ranked[place])));
  return made;
}

function source(data, start, count) {
  const { argument, role } = data.sentences[start];
  const [id, stance] = data.arguments[argument];
  const [kind, number] = role.split("__");
  const what = count > 1 || !role ? counted(count, "sentence") : kind === "CONC" ? "conclusion" : `premise ${number}`;
  const grades = Object.entries(data.grades).filter(([, of]) => id in of).map(([set, of]) => `${set} ${of[id]}`);
  const judged = grades.length ? `, judged ${grades.join(", ")}` : "";
  return element("p", { class: "source" }, `${what} of ${id}${stance ? `, ${stance}` : ""}${judged}`);
}

function unfolding(title, make) {
  const details = element("details", {}, element("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(make());
  });
  return details;
}

function around(data, spans) {
  const box = element("div");
  const marked = spans.filter(([, count]) => count === 1).map(([start]) => start);
  for (const argument of new Set(spans.map(([start]) => data.sentences[start].argument))) {
    const [id, stance] = data.arguments[argument];
    const block = element("div", { class: "argument" },
      element("p", { class: "source" }, `Argument ${id}${stance ? `, ${stance}` : ""}`));
    data.sentences.forEach(({ argument: own, role, text }, place) => {
      if (own !== argument) return;
      const kind = role.startsWith("CONC") ? { class: "conclusion" } : {};
      block.append(element("p", kind, marked.includes(place) ? element("mark", {}, text) : text));
    });
    box.append(block);
  }
  return box;
}

// ---- controls --------------------------------------------------------------------------------------

for (const id of ["topic", "run-a", "run-b"]) byId(id).addEventListener("change", () => openTopic(byId("topic").value));
for (const [id, step] of [["previous", -1], ["next", 1]]) {
  byId(id).addEventListener("click", () => openTopic(page.topics[byId("topic").selectedIndex + step].number));
}

document.addEventListener("DOMContentLoaded", () => {
  const runs = page.runs.map((run) => [run, run]);
  fill(byId("topic"), page.topics.map(({ number, title }) => [number, `${number}. ${title}`]));
  fill(byId("run-a"), runs, page.runs[0]);
  fill(byId("run-b"), [["", "no second run"], ...runs], "");
  if (typeof DecompressionStream === "undefined") {
    byId("status").textContent = "This browser cannot unpack the texts (it has no DecompressionStream).";
    return;
  }
  openTopic(page.topics[0].number);
});
