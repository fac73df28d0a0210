// Keys, dragging and messages of the workbench. Every form works without this file.
"use strict";

document.documentElement.classList.add("with-script");

const inField = (element) => Boolean(element.closest("input, textarea, select, [contenteditable]"));
const questions = () => [...document.querySelectorAll("[data-question]")].filter((card) => card.getClientRects().length);
const current = () => document.activeElement.closest("[data-question]");

// ---- Messages ----

function tell(sentence) {
  const line = document.createElement("p");
  const name = document.createElement("b");
  name.textContent = "Not done";
  line.append(name, ` ${sentence}`);
  document.getElementById("message").replaceChildren(line);
  showMessage();
}

function showMessage() {
  const message = document.getElementById("message");
  if (message.textContent.trim()) message.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:sendError", () =>
  tell("The workbench does not answer: it may have been ended in the terminal. Nothing was saved."));
document.addEventListener("htmx:timeout", () => tell("The workbench did not answer in time."));
document.addEventListener("htmx:responseError", (event) => {
  // A page that refuses a change has its reason, which htmx shows; other answers, such as a bug's, have none.
  if (!event.detail.xhr.responseText.includes('id="message"')) tell("This failed. Load the page again.");
  else setTimeout(showMessage);
});

// ---- Focus ----

// A card that was replaced has the focus again; a change of the page shows what is to be filled in next. Any other
// answer leaves the focus where the person is. Until content is settled, htmx shows elements with the attributes of
// those that they replace.
document.addEventListener("htmx:afterSettle", (event) => {
  const { target, requestConfig } = event.detail;
  const address = document.querySelector("[data-address]")?.dataset.address;
  if (address) history.replaceState(null, "", address);
  if (target.matches("[data-question]")) focusQuestion(document.getElementById(target.id));
  else if (requestConfig?.verb === "post" && ["page", "questions"].includes(target.id))
    document.querySelector("#page .editing [name=name]")?.focus();
});

function focusQuestion(card) {
  if (!card?.matches("[data-question]")) return;
  const field = card.querySelector("[data-editor] select, [data-editor] input:not([type=hidden])");
  (field ?? card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}

// ---- Order of answers, and dragging ----

function moveRow(row, step) {
  const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (!other) return;
  if (step < 0) other.before(row);
  else other.after(row);
  numberRows(row.parentElement);
}

function numberRows(body) {
  const rows = [...body.children];
  rows.forEach((row, index) => {
    for (const button of row.querySelectorAll("[data-move]")) {
      const step = Number(button.dataset.move);
      button.value = `${button.value.split(":")[0]}:${index}:${step}`;
      button.disabled = step < 0 ? index === 0 : index === rows.length - 1;
    }
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  event.preventDefault();
  moveRow(button.closest("tr"), Number(button.dataset.move));
  (button.disabled ? button.parentElement.querySelector("button:enabled") : button)?.focus();
});

let dragged = null;

document.addEventListener("dragstart", (event) => {
  dragged = inField(event.target) ? null : event.target.closest?.("[data-order] > tr, [data-code]");
  if (!dragged) return;
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
});
document.addEventListener("dragend", () => {
  for (const element of document.querySelectorAll(".dragged, .net.over")) element.classList.remove("dragged", "over");
  dragged = null;
});
document.addEventListener("dragover", (event) => {
  const row = event.target.closest?.("[data-order] > tr");
  if (!dragged || !row || row.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  if (row === dragged) return;
  const box = row.getBoundingClientRect();
  if (event.clientY > box.top + box.height / 2) row.after(dragged);
  else row.before(dragged);
  numberRows(row.parentElement);
});

// ---- Files ----

const isFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

document.addEventListener("dragover", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  document.querySelector("[data-drop]")?.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.querySelector("[data-drop]")?.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  form.querySelector("[type=file]").files = event.dataTransfer.files;
  form.requestSubmit();
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-drop] [type=file]")) event.target.form.requestSubmit();
});

// ---- Keys ----

function step(direction) {
  const cards = questions();
  const index = cards.indexOf(current());
  const next = cards[index < 0 ? 0 : Math.min(Math.max(index + direction, 0), cards.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function toggleKeys() {
  const list = document.getElementById("keys");
  list.hidden = !list.hidden;
  document.querySelector("[data-action=keys]").setAttribute("aria-expanded", String(!list.hidden));
}

function press(key) { // a button of the current card, such as a label; some lists then go on to the next card
  const card = current() ?? questions()[0], button = card?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!button) return false;
  card.focus({ preventScroll: true });
  button.click();
  if (card.closest("[data-advance]")) step(1);
  return true;
}

const act = (name) => current()?.querySelector(`[data-act=${name}]`)?.click();

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  e: () => act("edit"),
  x: () => act("choose"),
  r: () => act("rows"),
  b: () => act("columns"),
  s: () => act("star"),
  n: () => current()?.querySelector("[data-act=net]")?.focus(),
  u: () => document.querySelector("[data-key=u]")?.click(),
  "/": () => document.querySelector("main [type=search]")?.focus(),
  "?": toggleKeys,
};

document.addEventListener("keydown", (event) => {
  const row = event.target.closest("[data-order] > tr");
  if (row && event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    moveRow(row, event.key === "ArrowUp" ? -1 : 1);
    event.target.focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.target.closest("form")?.requestSubmit();
  } else if (event.key === "Enter" && event.target.matches("[data-editor] input")) {
    // The first button of a form is one that moves a row.
    event.preventDefault();
    event.target.form.requestSubmit(event.target.form.querySelector("[data-act=save]"));
  } else if (event.key === "Escape") {
    if (!document.getElementById("keys").hidden) toggleKeys();
    else if (inField(event.target)) (current() ?? document.getElementById("page")).focus({ preventScroll: true });
    else act("cancel");
  } else if (!event.altKey && !event.ctrlKey && !event.metaKey && !inField(event.target)) {
    if (!press(event.key) && !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]?.();
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-action=keys]")) toggleKeys();
});
document.querySelector("[data-action=keys]")?.removeAttribute("hidden");
