// Chooses light or dark before the page is painted: what the reader chose earlier, else what the system says.
"use strict";
try {
  const chosen = localStorage.getItem("doublet-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the system decides.
}
