"use strict";
{
  const byId = (id) => document.getElementById(id);
  const { pool, reading, dimensions, pairs } = JSON.parse(byId("pairs").textContent);
  const KEPT = `riposte-pool-${pool}-${reading}`;
  const NUMBERS = new Set(pairs.map((pair) => String(pair.number)));
  const groups = dimensions.map((name) => byId(name));
  const grades = new Map(); // number -> a grade or null for each dimension
  let place = 0; // of the pair that is shown
  let current = 0; // the dimension that the next key grades

  // ---- grades that stay ------------------------------------------------------------------------------

  const warn = (text) => {
    byId("note").textContent = text;
    byId("note").hidden = false;
  };
  const isTriple = (found) =>
    Array.isArray(found) && found.length === dimensions.length && found.every((grade) => [0, 1, 2, null].includes(grade));
  try {
    for (const [number, found] of Object.entries(JSON.parse(localStorage.getItem(KEPT)) ?? {})) {
      if (NUMBERS.has(number) && isTriple(found)) grades.set(Number(number), found);
    }
  } catch {
    warn("This browser keeps no grades for this page, or they cannot be read: download them before you leave.");
  }
  const keep = () => {
    try {
      localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(grades)));
    } catch {
      warn("This browser keeps no grades for this page: download them before you leave.");
    }
  };
  const of = (pair) => grades.get(pair.number) ?? dimensions.map(() => null);
  const isDone = (pair) => !of(pair).includes(null);
  const finished = () => pairs.filter(isDone);

  // ---- what is shown ---------------------------------------------------------------------------------

  const showCounts = () => {
    const count = finished().length;
    byId("bar").value = count;
    byId("counts").textContent = `${count} of ${pairs.length} graded`;
  };
  const showCurrent = () => groups.forEach((group, at) => group.classList.toggle("current", at === current));
  const show = (to) => {
    place = to;
    const pair = pairs[place];
    byId("place").textContent = `Pair ${place + 1} of ${pairs.length}, number ${pair.number}`;
    for (const part of ["topic", "first", "second"]) byId(part).textContent = pair[part];
    for (const button of document.querySelectorAll("fieldset input")) {
      button.checked = of(pair)[dimensions.indexOf(button.name)] === Number(button.value);
    }
    current = Math.max(0, of(pair).indexOf(null));
    showCurrent();
    showCounts();
  };
  const go = (step) => {
    const to = place + step;
    if (to < 0 || to >= pairs.length) {
      byId("status").textContent = step < 0 ? "This is the first pair." : "This is the last pair.";
      return;
    }
    show(to);
    byId("topic").focus();
    byId("status").textContent = "";
  };
  const goUngraded = () => {
    const order = pairs.map((_, at) => (place + 1 + at) % pairs.length);
    const to = order.find((at) => !isDone(pairs[at]));
    if (to === undefined) {
      byId("status").textContent = "All pairs are graded: download the grades.";
      return;
    }
    show(to);
    byId("topic").focus();
  };
  const grade = (at, value) => {
    const pair = pairs[place];
    const found = [...of(pair)];
    found[at] = value;
    grades.set(pair.number, found);
    keep();
    byId("status").textContent = `Pair ${place + 1}: ${dimensions[at]} ${value}`;
  };

  // ---- keys and buttons ------------------------------------------------------------------------------

  const MOVES = { n: () => go(1), p: () => go(-1), u: goUngraded };
  document.addEventListener("keydown", (event) => {
    if (!byId("keys").checked || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (["0", "1", "2"].includes(event.key)) {
      const at = current;
      const last = at === dimensions.length - 1;
      grade(at, Number(event.key));
      show(place);
      if (last && isDone(pairs[place])) goUngraded();
      else {
        current = last ? current : at + 1;
        showCurrent();
      }
    } else if (Object.hasOwn(MOVES, event.key)) MOVES[event.key]();
    else return;
    event.preventDefault();
  });
  byId("grades").addEventListener("change", (event) => {
    const at = dimensions.indexOf(event.target.name);
    grade(at, Number(event.target.value));
    current = Math.min(at + 1, dimensions.length - 1);
    showCurrent();
    showCounts();
  });
  byId("grades").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => go(-1));
  byId("next").addEventListener("click", () => go(1));
  byId("ungraded").addEventListener("click", goUngraded);
  byId("download").addEventListener("click", () => {
    const lines = finished().map((pair) => `${pair.number} ${of(pair).join(" ")}\n`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`# pool ${pool}\n`, ...lines], { type: "text/plain" }));
    link.download = `grades-${pool}-${reading}.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    byId("status").textContent = `${lines.length} of ${pairs.length} pairs have three grades and are in the file.`;
  });

  // ---- theme -----------------------------------------------------------------------------------------

  const darkOutside = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (darkOutside.matches ? "dark" : "light")) === "dark";
  const showTheme = () => byId("theme").setAttribute("aria-pressed", String(isDark()));
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  darkOutside.addEventListener("change", showTheme);
  showTheme();

  const start = pairs.findIndex((pair) => !isDone(pair));
  show(start < 0 ? 0 : start);
}
