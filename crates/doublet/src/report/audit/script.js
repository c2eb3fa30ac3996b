// One question at a time. The answers stay in this browser until they are downloaded.
"use strict";

const judge = document.getElementById("judge");
const questions = [...judge.querySelectorAll(".question")];
const place = `doublet-audit-${judge.dataset.sample}`;
const progress = document.getElementById("progress");
const tally = document.getElementById("tally");
const buttons = [...judge.querySelectorAll("button[data-answer]")];
const labels = { right: 1, wrong: 0, unsure: "unsure" };

// Answers by question, from the page and, newer, from the browser.
const answers = questions.map((question) => question.dataset.answer);
let kept = true;
try {
  const stored = JSON.parse(localStorage.getItem(place) || "[]");
  answers.forEach((_, i) => { if (stored[i] in labels) answers[i] = stored[i]; });
} catch {
  kept = false;
}

let current = 0;

function save() {
  try {
    localStorage.setItem(place, JSON.stringify(answers));
    kept = true;
  } catch {
    kept = false;
  }
}

function count(answer) {
  return answers.filter((other) => other === answer).length;
}

function show(next, focus) {
  current = Math.max(0, Math.min(next, questions.length - 1));
  questions.forEach((question, i) => question.classList.toggle("current", i === current));
  buttons.forEach((button) => button.setAttribute("aria-pressed", button.dataset.answer === answers[current]));
  document.getElementById("back").disabled = current === 0;
  const answered = questions.length - count("");
  progress.textContent = `${answered} of ${questions.length} answered`;
  tally.textContent = answered === 0
    ? "No answers yet."
    : `${count("right")} right, ${count("wrong")} wrong, ${count("unsure")} unsure; ${count("")} left.`
      + (kept ? "" : " This browser cannot store the answers: download the labels before you close the page.");
  if (focus) {
    window.scrollTo({ top: judge.offsetTop });
    questions[current].focus({ preventScroll: true });
  }
}

function answer(word) {
  if (questions.length === 0) return;
  answers[current] = word;
  save();
  const open = answers.indexOf("", current);
  const first = answers.indexOf("");
  if (current + 1 < questions.length) {
    show(current + 1, true);
  } else {
    show(first < 0 ? current : open < 0 ? first : open, true);
  }
  if (first < 0) tally.scrollIntoView({ block: "center" });
}

function download() {
  const line = ({ dataset }, i) => `${dataset.head}${JSON.stringify(labels[answers[i]])}${dataset.tail}\n`;
  const lines = questions.map((question, i) => (answers[i] ? line(question, i) : ""));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  link.download = "audit-answers.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

for (const button of buttons) button.addEventListener("click", () => answer(button.dataset.answer));
document.getElementById("back").addEventListener("click", () => show(current - 1, true));
document.getElementById("download").addEventListener("click", download);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const word = { r: "right", w: "wrong", u: "unsure" }[event.key.toLowerCase()];
  if (word) answer(word);
  else if (event.key.toLowerCase() === "b") show(current - 1, true);
});

document.documentElement.classList.add("js");
const open = answers.indexOf("");
show(open < 0 ? 0 : open, false);
