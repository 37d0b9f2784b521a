// ---- explorer: the texts of a topic are unpacked when it is opened ---------------------------------

const unpacked = new Map();
let asked = "";
let opened = null;

async function unpack(number) {
  if (!unpacked.has(number)) {
    const place = page.topics.findIndex((topic) => topic.number === number);
    const bytes = Uint8Array.from(atob(byId(`topic-${place}`).textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const data = await new Response(stream).json();
    data.sentences = data.arguments.flatMap(([id, stance, lines], argument) =>
      lines.map(([role, text]) => ({ argument, role, text })));
    for (const run of Object.values(data.runs)) {
      run.ranks = new Map(run.first.map((first, place) => [key(first, run.second[place]), place + 1]));
    }
    if (unpacked.size >= 5) unpacked.delete(unpacked.keys().next().value);
    unpacked.set(number, data);
  }
  return unpacked.get(number);
}

const key = (first, second) => (first < second ? `${first} ${second}` : `${second} ${first}`);

async function openTopic(number) {
  asked = number;
  const started = performance.now();
  const data = await unpack(number);
  if (asked !== number) return; // another topic was asked for meanwhile
  opened = { number, data };
  listTopics();
  showLists();
  const topic = page.topics.find((known) => known.number === number);
  const runs = chosenRuns().map((run) => `${counted(data.runs[run].first.length, "pair")} of ${run}`);
  const little = page.thin.includes(number)
    ? ` Little on it: expected relevance of the top five ${topic.expected.toFixed(2)} of 2.` : "";
  byId("status").textContent = `Topic ${number}: ${runs.join(", ")}. ${topic.title}${little}`;
  byId("lists").dataset.topic = number;
  byId("lists").dataset.milliseconds = (performance.now() - started).toFixed(1);
  const place = page.topics.indexOf(topic);
  byId("previous").disabled = place === 0;
  byId("next").disabled = place === page.topics.length - 1;
}

function chosenRuns() {
  const [one, other] = [byId("run-a").value, byId("run-b").value];
  return other && other !== one ? [one, other] : [one];
}

function showLists() {
  const runs = chosenRuns();
  byId("lists").className = runs.length > 1 ? "lists two" : "lists";
  byId("lists").replaceChildren(...runs.map((run) => listOf(run, runs.find((name) => name !== run))));
}

function listOf(run, other) {
  const pairs = opened.data.runs[run];
  const list = element("ol", { class: "pairs", "aria-label": `Pairs of ${run}` });
  const more = element("button", { type: "button", class: "more" });
  const box = element("div", { class: "list" }, element("h3", {}, run), list, more);
  const { data } = opened;
  function show() {
    const start = list.childElementCount;
    const end = Math.min(start + SLICE, pairs.first.length);
    for (let place = start; place < end; place += 1) list.append(card(data, run, other, place));
    const left = pairs.first.length - end;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(SLICE, left)} more of ${counted(left, "pair")}`;
    return start;
  }
  show();
  if (!pairs.first.length) list.replaceWith(element("p", { class: "soft" }, "This run has no pair for this topic."));
  more.addEventListener("click", () => {
    const first = list.children[show()];
    first.focus();
    byId("status").textContent = `${run}: ${counted(list.childElementCount, "pair")} shown.`;
  });
  return box;
}

function card(data, run, other, place) {
  const pairs = data.runs[run];
  const sentences = [pairs.first[place], pairs.second[place]];
  const [side, look] = SIDES[pairs.stance[place]] || SIDES.Q;
  const head = element("p", { class: "head" },
    element("span", { class: "rank" }, `${place + 1}.`),
    element("span", { class: `stance ${look}` }, side),
    element("span", {}, `score ${pairs.score[place].toFixed(3)}`));
  const graded = Object.entries(pairs.grades).filter(([, of]) => of[place] !== null);
  if (graded.length) {
    const told = graded.map(([dimension, of]) => `${dimension} ${of[place]}`).join(", ");
    head.append(element("span", { class: "soft" }, `graded ${told}`));
  }
  if (other) {
    const rank = data.runs[other].ranks.get(key(...sentences));
    head.append(element("span", { class: "soft" }, rank ? `rank ${rank} in ${other}`
      : `not among the ${data.runs[other].first.length.toLocaleString("en")} of ${other}`));
  }
  const made = element("li", { class: "pair", tabindex: "-1" }, head);
  for (const sentence of sentences) {
    made.append(element("p", { class: "sentence" }, textOf(data.sentences[sentence])), source(data, sentence));
  }
  made.append(unfolding("Read the arguments around", () => around(data, sentences)));
  if (run === page.model && data.parts) {
    made.append(unfolding("What the score is made of", () => parts(data, place, pairs.score[place])));
  }
  return made;
}

const textOf = (sentence) => (sentence.text === null ? "(the corpus has no text for this sentence)" : sentence.text);

function source(data, place) {
  const { argument, role } = data.sentences[place];
  const [id, stance] = data.arguments[argument];
  const [kind, number] = role.split("__");
  const grades = Object.entries(data.grades).filter(([, of]) => id in of).map(([set, of]) => `${set} ${of[id]}`);
  const judged = grades.length ? `, judged ${grades.join(", ")}` : "";
  const what = kind === "CONC" ? "conclusion" : `premise ${number}`;
  return element("p", { class: "source" }, `${what} of ${id}${stance ? `, ${stance}` : ""}${judged}`);
}

function unfolding(title, make) {
  const details = element("details", {}, element("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(make());
  });
  return details;
}

function around(data, chosen) {
  const box = element("div");
  for (const argument of new Set(chosen.map((place) => data.sentences[place].argument))) {
    const [id, stance] = data.arguments[argument];
    const block = element("div", { class: "argument" },
      element("p", { class: "source" }, `Argument ${id}${stance ? `, ${stance}` : ""}`));
    data.sentences.forEach((sentence, place) => {
      if (sentence.argument !== argument) return;
      const text = textOf(sentence);
      const kind = sentence.role.startsWith("CONC") ? { class: "conclusion" } : {};
      block.append(element("p", kind, chosen.includes(place) ? element("mark", {}, text) : text));
    });
    box.append(block);
  }
  return box;
}

function parts(data, place, score) {
  const rows = page.families.map(([dimension, family], at) => ({
    dimension, family, value: data.parts[at][place] / 1000,
  }));
  const most = Math.max(...rows.map((row) => Math.abs(row.value)));
  const total = rows.reduce((sum, row) => sum + row.value, 0);
  const table = element("table", { class: "parts" },
    element("caption", {}, "What each family of features adds to the score"));
  for (const dimension of new Set(rows.map((row) => row.dimension))) {
    const own = rows.filter((row) => row.dimension === dimension);
    const sum = own.reduce((found, row) => found + row.value, 0);
    table.append(element("tbody", {},
      element("tr", {}, element("th", { scope: "rowgroup", colspan: "2" }, dimension),
        element("td", { class: "number sum" }, signed(sum))),
      ...own.map((row) => element("tr", {}, element("th", { scope: "row" }, row.family),
        element("td", { class: "bar-cell" }, bar(row.value, most, 12)),
        element("td", { class: "number" }, signed(row.value))))));
  }
  const own = data.mean_score + total;
  const moved = Math.abs(own - score) > 0.02
    ? ` The run says ${score.toFixed(3)}: the list gives way to arguments and sentences that were not shown.` : "";
  return element("div", {}, table, element("p", { class: "soft" },
    `Together ${signed(total)} from the topic's mean score, ${data.mean_score.toFixed(3)}.${moved}`));
}

// ---- controls --------------------------------------------------------------------------------------

function listTopics() {
  const wanted = byId("find").value.trim().toLowerCase();
  const found = page.topics.filter(({ number, title }) =>
    number === wanted || title.toLowerCase().includes(wanted));
  const options = found.map(({ number, title }) => [number, `${number}. ${title}`]);
  const here = opened ? opened.number : "";
  // A closed list shows its first entry; choosing what is shown already would change nothing.
  if (!found.some(({ number }) => number === here)) options.unshift(["", `${counted(found.length, "topic")} found`]);
  fill(byId("topic"), options, found.some(({ number }) => number === here) ? here : "");
  return found;
}

byId("find").addEventListener("input", () => {
  byId("status").textContent = `${counted(listTopics().length, "topic")} found.`;
});
byId("find").addEventListener("keydown", (event) => {
  const [first] = event.key === "Enter" ? listTopics() : [];
  if (first) openTopic(first.number);
});
byId("topic").addEventListener("change", (event) => event.target.value && openTopic(event.target.value));
for (const id of ["run-a", "run-b"]) byId(id).addEventListener("change", () => opened && openTopic(opened.number));
for (const [id, step] of [["previous", -1], ["next", 1]]) {
  byId(id).addEventListener("click", () => {
    const place = opened ? page.topics.findIndex((topic) => topic.number === opened.number) : -1;
    if (page.topics[place + step]) openTopic(page.topics[place + step].number);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  fill(byId("run-a"), page.runs.map((run) => [run, run]), page.runs[0]);
  fill(byId("run-b"), [["", "no second run"], ...page.runs.map((run) => [run, run])], "");
  if (typeof DecompressionStream === "undefined") {
    byId("status").textContent = "This browser cannot unpack the pairs (it has no DecompressionStream).";
    return;
  }
  openTopic(page.topics[0].number);
});
