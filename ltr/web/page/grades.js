"use strict";
// Grades of results, which stay in this browser until they are saved as files.
const judged = {}; // place -> topic -> { question, relevance: { id: grade }, sides: { id: side } }

const SIDES = 50; // sides that are sent at most

function judgments({ task, corpus } = answer) {
  const place = `riposte ${task} ${corpus}`;
  try {
    judged[place] = Object.assign(Object.create(null), JSON.parse(localStorage.getItem(place)) ?? judged[place]);
  } catch { /* no storage here: they stay as long as the page does */ }
  return { place, topics: (judged[place] ??= Object.create(null)) };
}

function judge(name, id, value) {
  const { place, topics } = judgments();
  const own = (topics[answer.topic] ??= { question: answer.question, relevance: {}, sides: {} });
  if (own[name][id] === value) delete own[name][id];
  else own[name][id] = value;
  delete topics[answer.topic];
  topics[answer.topic] = own; // the question that was graded last comes last
  try {
    localStorage.setItem(place, JSON.stringify(topics));
  } catch { /* see above */ }
}

// The sides that a person gave to arguments, as the server takes them, each with its question: another one may be the
// same in other words.
function moved(found) {
  const argument = (part) => part.replace(/__(PREMISE|CONC)__\d+$/, "");
  const given = Object.values(judgments(found).topics).flatMap(({ question, sides }) => Object.entries(sides)
    .flatMap(([id, side]) => id.split(",").map((part) => `${side}:${argument(part)} ${question}`)));
  return [...new Set(given)].slice(-SIDES);
}

function judging({ id, side }, about) {
  const given = () => judgments().topics[answer.topic];
  const choices = [["Relevant", "relevance", TOP], ["Not relevant", "relevance", 0]];
  for (const { side: other, heading } of answer.groups) {
    const value = other || "NO"; // as files of sides have it
    if (given()?.sides[id] === value) choices.push(["Moved here by you", "sides", value]);
    else if (other !== side) choices.push([`Wrong side: ${heading.toLowerCase()}`, "sides", value]);
  }
  const buttons = choices.map(([title, name, value]) => button(title, async () => {
    judge(name, id, value);
    press();
    linkGrades();
    if (name === "sides") await move(id);
  }, { class: "small", "aria-label": `${title}: ${about}` }));
  const press = () => choices.forEach(([, name, value], at) =>
    buttons[at].setAttribute("aria-pressed", given()?.[name][id] === value));
  press();
  const group = element("div", { class: "judge", role: "group", "aria-label": `Your grade: ${about}` }, ...buttons);
  const made = element("details", {}, element("summary", { "aria-label": `Grade: ${about}` }, "Grade"), group);
  made.open = Boolean(group.querySelector("[aria-pressed=true]"));
  return made;
}

function linkGrades() {
  const topics = Object.entries(judgments().topics);
  const lines = (name) => topics.flatMap(([topic, own]) =>
    Object.entries(own[name]).map(([id, grade]) => `${topic} 0 ${id} ${grade}\n`));
  const [relevance, sides] = [lines("relevance"), lines("sides")];
  const named = topics.filter(([, own]) => Object.keys({ ...own.relevance, ...own.sides }).length);
  const plain = (text) => text.replace(/[<&>]/g, (sign) => `&#${sign.charCodeAt()};`);
  const xml = named.map(([topic, { question }]) => `<topic><number>${topic}</number><title>${plain(question)}</title></topic>\n`);
  const file = (id, title, some) => {
    byId(id).hidden = !some.length;
    byId(id).textContent = title;
    byId(id).href = `data:text/plain;charset=utf-8,${encodeURIComponent(some.join(""))}`;
  };
  file("save-relevance", `Save ${counted(relevance.length, "grade")} (qrels)`, relevance);
  file("save-sides", `Save ${counted(sides.length, "side")} (qrels)`, sides);
  file("save-topics", `Save ${counted(xml.length, "topic")} (XML)`, xml.length ? ["<topics>\n", ...xml, "</topics>\n"] : []);
  byId("grades-note").hidden = !named.length;
}
