// The switch between light and dark.

import { make } from "./dom.js";

const KEY = "doublet-theme";

/** A choice of the system's colours, light, or dark, kept for the next visit. */
export function themeSwitch() {
  const names = [
    ["", "as the system"],
    ["light", "light"],
    ["dark", "dark"],
  ];
  const now = document.documentElement.dataset.theme ?? "";
  const select = make(
    "select",
    { id: "theme-choice", onchange: () => choose(select.value) },
    names.map(([value, label]) => make("option", { value, selected: value === now }, label)),
  );
  return make("label", { for: "theme-choice" }, make("span", {}, "Colours "), select);
}

/** @param {string} name */
function choose(name) {
  if (name === "") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    if (name === "") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, name);
  } catch {
    // Without storage it holds for this page.
  }
}
