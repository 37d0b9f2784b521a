const byId = (id) => document.getElementById(id);
const { pool, dimensions, pairs } = JSON.parse(byId("page-data").textContent);
const KEPT = `riposte-pool-${pool}`;
const GRADES = [0, 1, 2, null]; // null where there is none yet
const LOST = "This browser keeps no grades for this page, or they cannot be read: download them before you leave.";
const grades = new Map(pairs.map(({ number }) => [number, dimensions.map(() => null)]));
let place = 0; // of the pair that is shown
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
const of = (pair) => grades.get(pair.number);
const isDone = (pair) => !of(pair).includes(null);

// ---- what is shown ---------------------------------------------------------------------------------

const say = (text) => { byId("status").textContent = text; };
function mark(dimension) {
  current = dimension;
  dimensions.forEach((name, at) => byId(name).classList.toggle("current", at === current));
  const done = pairs.filter(isDone).length;
  byId("bar").value = done;
  byId("counts").textContent = `${done} of ${pairs.length} graded`;
}
function show(to) {
  place = to;
  const pair = pairs[place];
  byId("place").textContent = `Pair ${place + 1} of ${pairs.length}, number ${pair.number}`;
  for (const part of ["topic", "first", "second"]) byId(part).textContent = pair[part];
  for (const button of document.querySelectorAll("fieldset input")) {
    button.checked = of(pair)[dimensions.indexOf(button.name)] === Number(button.value);
  }
  mark(Math.max(0, of(pair).indexOf(null)));
}
function go(step) {
  const to = place + step;
  if (!pairs[to]) return say(step < 0 ? "This is the first pair." : "This is the last pair.");
  show(to);
  byId("topic").focus();
  return say("");
}
function goUngraded() {
  const order = pairs.map((_, at) => (place + 1 + at) % pairs.length);
  const to = order.find((at) => !isDone(pairs[at]));
  if (to === undefined) return say("All pairs are graded: download the grades.");
  show(to);
  return byId("topic").focus();
}
function grade(at, value) {
  of(pairs[place])[at] = value;
  keep();
  say(`Pair ${place + 1}: ${dimensions[at]} ${value}`);
  return Math.min(at + 1, dimensions.length - 1); // the dimension that comes next
}

// ---- keys and buttons ------------------------------------------------------------------------------

const MOVES = { n: () => go(1), p: () => go(-1), u: goUngraded };
document.addEventListener("keydown", (event) => {
  if (!byId("keys").checked || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (["0", "1", "2"].includes(event.key)) {
    const last = current === dimensions.length - 1;
    const next = grade(current, Number(event.key));
    show(place);
    mark(next);
    if (last && isDone(pairs[place])) goUngraded();
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
  const lines = pairs.filter(isDone).map((pair) => `${pair.number} ${of(pair).join(" ")}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`# pool ${pool}\n`, ...lines], { type: "text/plain" }));
  link.download = `grades-${pool}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  say(`${lines.length} of ${pairs.length} pairs have three grades and are in the file.`);
});

show(Math.max(0, pairs.findIndex((pair) => !isDone(pair))));
