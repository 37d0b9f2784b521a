"use strict";
// The results that are shown, those of an answer or of one source, as files.
const asFile = (type, text) => `data:${type};charset=utf-8,${encodeURIComponent(text)}`;
const rowsOf = ({ side, heading }) => worth(side).map((result) => ({ heading, likely: result.likely ? "likely" : "", result }));

function markdown() {
  const plainly = (text) => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");
  const link = (one) => (host(one.url) ? `[${plainly(named(one))}](<${new URL(one.url).href}>)` : plainly(named(one)));
  const line = ({ likely, result }) =>
    `- ${likely && "(likely) "}${plainly(said(result))} (${[...new Set(result.sentences.map(link))].join("; ")})`;
  const sides = answer.groups.map((own) => [`## ${plainly(own.heading)}`, ...rowsOf(own).map(line)]).filter(([, first]) => first);
  const head = [`# ${plainly(answer.question)}`, plainly([answer.corpus, answer.sides_known].join(": "))];
  return `${[...head, ...sides.map(([heading, ...lines]) => `${heading}\n\n${lines.join("\n")}`)].join("\n\n")}\n`;
}

function csv() {
  // A spreadsheet would evaluate a cell that begins like a formula.
  const cell = (text) => `"${String(text).replace(/^(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/, "'").replaceAll('"', '""')}"`;
  const rows = answer.groups.flatMap(rowsOf).map(({ heading, likely, result }) =>
    [heading, likely, said(result), ...["debate", "url"].map((name) => [...new Set(result.sentences.map((one) => one[name]))].join(" ")), result.id]);
  const lines = [["side", "certainty", "text", "debate", "address", "id"], ...rows].map((row) => row.map(cell).join(","));
  return `\ufeff${lines.join("\r\n")}\r\n`; // the mark tells spreadsheets that it is UTF-8
}
