const byId = (id) => document.getElementById(id);
const { pool, dimensions, texts, units } = JSON.parse(byId("page-data").textContent);
const KEPT = `riposte-pool-${pool}-${dimensions.join("-")}`;
const GRADES = [0, 1, 2, null]; // null where there is none yet
const LOST = "This browser keeps no grades for this page, or they cannot be read: download them before you leave.";
const grades = new Map(units.map(({ number }) => [number, dimensions.map(() => null)]));
let place = 0; // of the unit that is shown
let current = 0; // the dimension that the next key grades

// ---- grades that stay ------------------------------------------------------------------------------

function warn() {
  byId("note").textContent = LOST;
  byId("note").hidden = false;
}
try {
  for (const [number, found] of Object.entries(JSON.parse(localStorage.getItem(KEPT)) ?? {})) {
    const sound = found.length === dimensions.length && found.every((grade) => GRADES.includes(grade));
    if (sound && grades.has(Number(number))) grades.set(Number(number), found);
  }
} catch {
  warn();
}
function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(grades)));
  } catch {
    warn();
  }
}
const of = (unit) => grades.get(unit.number);
const isDone = (unit) => !of(unit).includes(null);

// ---- what is shown ---------------------------------------------------------------------------------

const say = (text) => { byId("status").textContent = text; };
function mark(dimension) {
  current = dimension;
  dimensions.forEach((name, at) => byId(name).classList.toggle("current", at === current));
  const done = units.filter(isDone).length;
  byId("bar").value = done;
  byId("counts").textContent = `${done} of ${units.length} graded`;
}
function show(to) {
  place = to;
  const unit = units[place];
  byId("place").textContent = `${place + 1} of ${units.length}, number ${unit.number}`;
  for (const part of ["topic", ...texts]) byId(part).textContent = unit[part] ?? "";
  for (const button of document.querySelectorAll("fieldset input")) {
    button.checked = of(unit)[dimensions.indexOf(button.name)] === Number(button.value);
  }
  mark(Math.max(0, of(unit).indexOf(null)));
}
function go(step) {
  const to = place + step;
  if (!units[to]) return say(step < 0 ? "This is the first one." : "This is the last one.");
  show(to);
  byId("topic").focus();
  return say("");
}
function goUngraded() {
  const order = units.map((_, at) => (place + 1 + at) % units.length);
  const to = order.find((at) => !isDone(units[at]));
  if (to === undefined) return say("All are graded: download the grades.");
  show(to);
  return byId("topic").focus();
}
function grade(at, value) {
  of(units[place])[at] = value;
  keep();
  say(`${place + 1}: ${dimensions[at]} ${value}`);
  return Math.min(at + 1, dimensions.length - 1); // the dimension that comes next
}

// ---- keys and buttons ------------------------------------------------------------------------------

const MOVES = { n: () => go(1), p: () => go(-1), u: goUngraded };
function gradeNext(value) {
  const last = current === dimensions.length - 1;
  const next = grade(current, value);
  show(place);
  mark(next);
  if (last && isDone(units[place])) goUngraded();
}
document.addEventListener("keydown", (event) => {
  if (!byId("keys").checked || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.id === "by") return;
  if (["0", "1", "2"].includes(event.key)) {
    gradeNext(Number(event.key));
  } else if (Object.hasOwn(MOVES, event.key)) MOVES[event.key]();
  else return;
  event.preventDefault();
});
byId("grades").addEventListener("change", ({ target: { name, value } }) => {
  mark(grade(dimensions.indexOf(name), Number(value)));
});
byId("grades").addEventListener("submit", (event) => event.preventDefault());
byId("previous").addEventListener("click", MOVES.p);
byId("next").addEventListener("click", MOVES.n);
byId("ungraded").addEventListener("click", MOVES.u);
byId("download").addEventListener("click", () => {
  const lines = units.filter(isDone).map((unit) => `${unit.number} ${of(unit).join(" ")}\n`);
  const link = document.createElement("a");
  const by = byId("by").value.trim();
  if (!byId("by").checkValidity()) return say("Write your name as one word.");
  const head = [`# pool ${pool}\n`, by ? `# by ${by}\n` : "", `number ${dimensions.join(" ")}\n`];
  link.href = URL.createObjectURL(new Blob([...head, ...lines], { type: "text/plain" }));
  link.download = `grades-${pool}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return say(`${lines.length} of ${units.length} have all grades and are in the file.`);
});

show(Math.max(0, units.findIndex((unit) => !isDone(unit))));
