// Extras only: the page says everything without them.
"use strict";

// A box that filters the clusters.
const table = document.querySelector("table.clusters");
if (table && table.tBodies[0].rows.length > 5) {
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const label = document.createElement("label");
  label.className = "filter";
  label.textContent = "Filter by id or text ";
  const box = document.createElement("input");
  box.type = "search";
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    rows.forEach((row, i) => (row.hidden = !texts[i].includes(wanted)));
  });
  label.append(box);
  table.before(label);
}

// Buttons that open or close all pairs of a section.
for (const views of document.querySelectorAll(".views")) {
  const pairs = [...views.querySelectorAll("details")];
  if (pairs.length < 2) continue;
  const button = (name, open) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = name;
    made.addEventListener("click", () => pairs.forEach((pair) => (pair.open = open)));
    return made;
  };
  const row = document.createElement("p");
  row.className = "buttons";
  row.append(button("Open all", true), button("Close all", false));
  pairs[0].before(row);
}
