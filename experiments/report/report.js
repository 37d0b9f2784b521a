const SLICE = 50;
const SENTENCES = 4; // of a whole argument, before it is unfolded
const SIDES = { P: ["PRO", "pro"], C: ["CON", "con"], Q: ["no one side", "none"] };
const page = JSON.parse(document.getElementById("page-data").textContent);
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

function bar(value, most, height) {
  const width = most > 0 ? (48 * Math.abs(value)) / most : 0;
  return element("svg", { height, "aria-hidden": "true" },
    element("line", { x1: "50%", x2: "50%", y1: 0, y2: height, class: "axis" }),
    element("rect", {
      x: `${value < 0 ? 50 - width : 50}%`, y: 2, width: `${width}%`, height: height - 4, rx: 2,
      class: value < 0 ? "down" : "up",
    }));
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
  if (chosen !== undefined) select.value = chosen;
}

// ---- topics, one by one ---------------------------------------------------------------------------

function drawTopics() {
  const board = page.boards[Number(byId("topics-set").value)];
  const [one, other] = [byId("topics-a").value, byId("topics-b").value];
  const values = board.values[byId("topics-measure").value];
  const rows = Object.keys(values[one]).map((topic) => ({
    topic, one: values[one][topic], other: values[other][topic],
    title: page.topics.find((known) => known.number === topic).title,
    difference: values[one][topic] - values[other][topic],
  }));
  rows.sort((x, y) => y.difference - x.difference || x.topic.localeCompare(y.topic, "en", { numeric: true }));
  const most = Math.max(...rows.map((row) => Math.abs(row.difference)), 0.1);
  byId("topics-chart").replaceChildren(...rows.map((row) => {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "title" }, `${row.topic}. ${row.title}`),
      bar(row.difference, most, 16),
      element("span", { class: "values" },
        `${row.one.toFixed(3)} / ${row.other.toFixed(3)}, ${signed(row.difference)}`),
    );
    button.addEventListener("click", () => {
      if (page.runs.includes(one)) byId("run-a").value = one;
      byId("run-b").value = one === other ? "" : other;
      openTopic(row.topic);
      byId("explorer-h").focus({ preventScroll: true });
      byId("explorer").scrollIntoView();
    });
    return element("li", {}, button);
  }));
  const better = rows.filter((row) => row.difference > 0).length;
  const worse = rows.filter((row) => row.difference < 0).length;
  byId("topics-status").textContent =
    `${one} is better than ${other} on ${better} of ${counted(rows.length, "topic")}, worse on ${worse}.`;
}

if (page.boards.length) {
  const runs = page.runs.map((run) => [run, run]);
  const { against } = page.boards[0];
  fill(byId("topics-set"), page.boards.map((board, place) => [String(place), board.set]));
  fill(byId("topics-a"), runs, page.runs[0]);
  fill(byId("topics-b"), runs, page.runs.slice(1).includes(against) ? against : page.runs[page.runs.length - 1]);
  for (const id of ["topics-set", "topics-measure", "topics-a", "topics-b"]) {
    byId(id).addEventListener("change", drawTopics);
  }
  drawTopics();
}
