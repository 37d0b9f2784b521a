"use strict";
// Grades of results, which stay in this browser until they are saved as files.
const WRONG = { PRO: "CON", CON: "PRO", FIRST: "SECOND", SECOND: "FIRST" }; // the right side, by the wrong one
const judged = {}; // place -> topic -> { question, relevance: { id: grade }, sides: { id: side } }

function judgments() {
  const place = `riposte ${asked.task} ${answer.corpus}`;
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
  try {
    localStorage.setItem(place, JSON.stringify(topics));
  } catch { /* see above */ }
}

function judging({ id, side }) {
  const choices = [["Relevant", "relevance", TOP], ["Not relevant", "relevance", 0]];
  if (side in WRONG) choices.push(["Wrong side", "sides", WRONG[side]]);
  const buttons = choices.map(([title, name, value]) => button(title, () => {
    judge(name, id, value);
    press();
    linkGrades();
  }, { class: "small" }));
  const press = () => {
    const own = judgments().topics[answer.topic];
    choices.forEach(([, name, value], at) => buttons[at].setAttribute("aria-pressed", own?.[name][id] === value));
  };
  press();
  const group = element("div", { class: "judge", role: "group", "aria-label": "Your grade" }, ...buttons);
  const made = element("details", {}, element("summary", {}, "Grade"), group);
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
