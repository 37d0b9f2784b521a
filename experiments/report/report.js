const SLICE = 50;
const SENTENCES = 4; // of a whole argument, before it is unfolded
const SIDES = { P: ["pro", "pro"], C: ["con", "con"], Q: ["unclear", "none"] };
const page = JSON.parse(document.getElementById("page-data").textContent);
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
