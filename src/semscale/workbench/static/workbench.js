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

// ---- Answers on their way ----

// The page can be used while an answer is on its way: what a person types, chooses, opens and focuses meanwhile stays,
// also in parts that the answer replaces, and presses on such parts wait for the new ones.
const onTheWay = new Map(); // requests, with what their answers replace, the focus, and the states of sent fields
const waiting = []; // elements that were pressed or changed, with the kind of event
const FIELDS = "input:not([type=hidden], [type=file]), select, textarea";
const shownBy = new Map(); // numbers of the requests whose answers are shown, by the ID of the part
let restore = null, isElsewhere = false, requests = 0;

const hasTick = (field) => field.matches("[type=checkbox], [type=radio]");
const state = (field) => (hasTick(field) ? field.checked : field.value);
const stored = (field) => (hasTick(field) ? field.defaultChecked : field.defaultValue); // a list has no such state
const signs = (element) => [element.localName, element.name, hasTick(element) ? element.value : "",
  element.dataset.act ?? (element.querySelector("summary") ?? element).textContent].join();

function successor(old) { // what has taken the place of an element
  if (old.isConnected) return old;
  if (old.id) return document.getElementById(old.id);
  const part = document.getElementById(old.closest("[id]")?.id);
  return [...(part?.querySelectorAll(old.localName) ?? [])].find((element) => signs(element) === signs(old));
}

function remember(sent = new Map()) { // and return what restores a page after parts of it were replaced
  const active = document.activeElement, range = [active.selectionStart, active.selectionEnd];
  const details = document.querySelectorAll("details[open]");
  const before = (field) => (sent.has(field) ? sent.get(field) : stored(field));
  const changed = [...document.querySelectorAll(FIELDS)].filter((field) => ![state(field), undefined].includes(before(field)));
  return () => {
    for (const old of details) (successor(old) ?? old).open = true;
    for (const old of changed) {
      const field = successor(old);
      if (!field || field === old || field.placeholder !== old.placeholder || state(field) !== before(old)) continue;
      if (hasTick(field)) field.checked = old.checked;
      else field.value = old.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const next = successor(active) ?? document.getElementById(active.closest("[data-question]")?.id);
    if (isElsewhere || document.activeElement === document.body) next?.focus({ preventScroll: true });
    if (next !== active && next === document.activeElement && range[0] != null) next.setSelectionRange?.(...range);
  };
}

document.addEventListener("htmx:beforeSend", ({ detail }) => {
  const { elt, xhr, target } = detail, further = elt.closest("[hx-select-oob]")?.getAttribute("hx-select-oob");
  const form = elt.form ?? elt.closest("form"), { verb, triggeringEvent } = detail.requestConfig;
  const sent = new Map([...(form?.elements ?? [])].map((field) => [field, state(field)]));
  const parts = [target, ...(further ? document.querySelectorAll(further) : [])];
  const stores = verb === "post" && triggeringEvent?.type === "submit" ? form : null;
  onTheWay.set(xhr, { verb, parts, card: elt.closest("[data-question]"), focus: document.activeElement, sent, stores, number: ++requests });
  xhr.addEventListener("readystatechange", () => { // before htmx reads the answer
    if (!target.isConnected && detail.target === target) detail.target = document.getElementById(target.id) ?? target;
  });
  xhr.addEventListener("loadend", () => {
    onTheWay.delete(xhr);
    setTimeout(() => {
      for (const [old, kind] of waiting.splice(0)) {
        const element = successor(old);
        if (kind === "click") element?.click();
        else if (element) Object.assign(element, { value: old.value }).dispatchEvent(new Event(kind, { bubbles: true }));
      }
    });
  });
});

// An answer is shown in the part that has taken the place of its target, unless a later list is there already. A form
// that is open stays, and while others are looked for, an entry that is chosen.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { verb, card: own, focus, sent, number } = onTheWay.get(detail.xhr), active = document.activeElement;
  const { id } = detail.target;
  if (verb === "get" && shownBy.get(id) > number) detail.shouldSwap = false;
  if (!detail.shouldSwap) return;
  if (id) shownBy.set(id, number);
  const held = verb === "get" ? ".editing, :has([data-act=choose]:checked)" : ".editing";
  const cards = [...detail.target.querySelectorAll("[data-question]")].filter((card) => card !== own && card.matches(held));
  isElsewhere = ![focus, document.body].includes(active) || (inField(active) && !detail.target.contains(active));
  const restoreParts = remember(sent);
  for (const card of cards) card.remove();
  restore = () => {
    for (const card of cards) {
      const shown = document.getElementById(card.id);
      if (shown) shown.replaceWith(card);
      else if (verb === "get") document.getElementById("questions")?.prepend(card);
    }
    restoreParts();
  };
});

// A press waits if an answer replaces its card, or fields that it sends. Forms that store something are sent once.
for (const kind of ["click", "change"]) document.addEventListener(kind, (event) => {
  const pressed = event.target.closest("button, [data-act]"), form = pressed?.type === "submit" ? pressed.form : null;
  const inCard = pressed?.matches("[data-question] *"), fields = form?.querySelectorAll("input[name]") ?? [];
  const waits = ({ verb, parts }) => parts.some((part) => part.contains(pressed) ? verb === "get" || inCard
    : [...fields].some((field) => part.contains(field)));
  const answers = pressed ? [...onTheWay.values()] : [];
  const isTwice = form && !inCard && answers.some(({ stores }) => stores === form);
  if (!isTwice && !answers.some(waits)) return;
  event.preventDefault();
  event.stopPropagation();
  if (!isTwice && !(event.detail > 1)) waiting.push([pressed, kind]);
}, true);

const sendings = new WeakMap(); // when a button or a form was used to load a page
document.addEventListener("submit", (event) => {
  const sender = event.submitter ?? event.target;
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (event.timeStamp - sendings.get(sender) < 3000) event.preventDefault();
  else sendings.set(sender, event.timeStamp);
});

// ---- Focus ----

// A card that was replaced has the focus again, and a change of the page shows what is to be filled in next, unless
// the person has gone elsewhere meanwhile. Until content is settled, htmx shows elements with the attributes of those
// that they replace.
document.addEventListener("htmx:afterSettle", (event) => {
  const { target, requestConfig } = event.detail;
  const address = document.querySelector("[data-address]")?.dataset.address;
  const next = document.querySelector("#page .editing [name=name]");
  if (address) history.replaceState(null, "", address);
  if (!restore) return; // for a further part of the same answer
  restore();
  restore = null;
  if (isElsewhere) return;
  if (target.matches("[data-question]")) focusQuestion(document.getElementById(target.id));
  else if (requestConfig?.verb === "post" && ["page", "questions"].includes(target.id)) next?.focus();
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
  } else if (event.isComposing) {
    return; // Enter ends a composition, such as of Japanese
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
    const isOpening = [...onTheWay.values()].some(({ parts }) => current() && parts.includes(current()));
    if (event.repeat && !"jk".includes(event.key)) return;
    if (!isOpening && !press(event.key) && !KEYS[event.key]) return;
    event.preventDefault();
    if (!isOpening) KEYS[event.key]?.();
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-action=keys]")) toggleKeys();
});
document.querySelector("[data-action=keys]")?.removeAttribute("hidden");
