// Keys, dragging and messages of the workbench. Every form works without this file.

const inField = (element) => Boolean(element.closest("textarea, select, input:not([type=checkbox], [type=radio])"));
const questions = () => [...document.querySelectorAll("[data-question]")].filter((card) => card.getClientRects().length);
const current = () => document.activeElement.closest("[data-question]");

// ---- Messages ----

const message = (sentence) => `<div id="message" role="alert"><p><b>Not done</b> ${sentence}</p></div>`;

document.addEventListener("htmx:sendError", () => {
  document.getElementById("message").outerHTML =
    message("The workbench does not answer: it may have been ended in the terminal. Nothing was saved.");
  document.getElementById("message").scrollIntoView({ block: "nearest" });
});
// A page that refuses a change has its reason, which htmx shows; other answers, such as a bug's, have none.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.isError || detail.serverResponse.includes('id="message"')) return;
  detail.serverResponse = message("This failed. Load the page again.");
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

function remember(sent, card) { // and return what restores a page after parts of it were replaced
  const restoreFocus = rememberFocus(card);
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
    restoreFocus();
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
  const restoreParts = remember(sent, own);
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

// After an answer, the form that it opened has the focus, or the card whose button was used, if it was replaced, or
// the one that has taken its position; otherwise what had it before. A person who has gone elsewhere stays there.
function rememberFocus(own) {
  const active = document.activeElement, range = [active.selectionStart, active.selectionEnd];
  const card = own ?? document.querySelector("[name=join]:checked")?.closest("[data-question]");
  const index = questions().indexOf(card), editors = [...document.querySelectorAll("[data-editor]")];
  return () => {
    const before = successor(active) ?? document.getElementById(active.closest("[data-question]")?.id);
    const opened = [...document.querySelectorAll("[data-editor]")].find((editor) => !editors.includes(editor));
    const cards = card?.isConnected === false ? questions() : [];
    const replaced = cards.find(({ id }) => id === card.id) ?? cards[Math.min(index, cards.length - 1)];
    const next = isElsewhere ? before : opened?.querySelector(FIELDS) ?? replaced ?? before;
    if (next !== before || isElsewhere || document.activeElement === document.body)
      next?.focus({ preventScroll: true });
    if (next === active || next !== document.activeElement) return;
    if (next === before && range[0] != null) next.setSelectionRange?.(...range);
    if (!isElsewhere) current()?.scrollIntoView({ block: "nearest" });
  };
}

// Until content is settled, htmx shows elements with the attributes of those that they replace.
document.addEventListener("htmx:afterSettle", () => {
  const address = document.querySelector("[data-address]")?.dataset.address;
  if (address) history.replaceState(null, "", address);
  restore?.();
  restore = null; // further parts of the same answer settle, too
});

// ---- Order of answers ----

function moveRow(row, goesUp) { // or rather the other row, so that the focus stays
  const other = goesUp ? row.previousElementSibling : row.nextElementSibling;
  if (other) row[goesUp ? "after" : "before"](other);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  event.preventDefault();
  moveRow(button.closest("tr"), button.dataset.move < 0);
});

// ---- Dragging: a row to a position of its table, a code or question to a net, a file to a form ----

let dragged = null;

function dropZone(event) { // where it can be dropped; no page is left for a file
  if (event.dataTransfer.types.includes("Files")) return document.querySelector("[data-drop]") ?? document.body;
  if (dragged?.matches("tr")) return [...dragged.parentElement.children].find((row) => row.contains(event.target));
  return dragged && event.target.closest?.("[data-net]");
}

for (const kind of ["dragover", "dragleave", "dragend", "drop"]) document.addEventListener(kind, () => {
  for (const element of document.querySelectorAll(".over")) element.classList.remove("over");
});
document.addEventListener("dragstart", (event) => {
  dragged = event.target.draggable ? event.target.closest("[data-order] > tr, [data-code]") : null; // or it is a text
  if (!dragged) return;
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
});
document.addEventListener("dragover", (event) => {
  const zone = dropZone(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.add("over");
  if (zone === dragged || !zone.matches("tr")) return;
  const box = zone.getBoundingClientRect();
  if (event.clientY > box.top + box.height / 2) zone.after(dragged);
  else zone.before(dragged);
});
document.addEventListener("drop", (event) => {
  const zone = dropZone(event), { files } = event.dataTransfer;
  if (!zone) return;
  event.preventDefault();
  const field = files.length ? zone.querySelector("[type=file]") : dragged?.querySelector("[data-act=net]");
  if (!field || field.value === zone.dataset.net) return;
  if (files.length) field.files = files;
  else field.value = zone.dataset.net;
  field.dispatchEvent(new Event("change", { bubbles: true }));
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit], [data-drop] [type=file]")) event.target.form.requestSubmit();
});

// ---- Keys ----

// Buttons and fields of the current card, by their keys. Pages name further keys as data-key.
const ACTS = { b: "columns", e: "edit", n: "net", r: "rows", s: "star", x: "choose" };

function step(direction) {
  const cards = questions();
  const next = cards[Math.min(Math.max(cards.indexOf(current()) + direction, 0), cards.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function press(key) { // what has the key in the current card, the first one or outside of cards, and return it
  const card = current(), named = `[data-key="${CSS.escape(key)}"]`;
  const element = card?.querySelector(`[data-act=${ACTS[key]}]`) ?? (card ?? questions()[0])?.querySelector(named)
    ?? document.querySelector(`${named}:not([data-question] *)`);
  element?.closest("[data-question]")?.focus({ preventScroll: true });
  if (element?.matches("select, textarea, [type=search]")) element.focus();
  else element?.click();
  if (element?.matches("[data-advance] [name=label]")) step(1); // some lists go on to the next card
  return element;
}

document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase(), row = event.target.closest("[data-order] > tr");
  if (event.isComposing) return; // Enter ends a composition, such as of Japanese
  if (row && event.altKey && (key === "arrowup" || key === "arrowdown")) {
    event.preventDefault();
    moveRow(row, key === "arrowup");
  } else if (key === "enter" && (event.ctrlKey || event.metaKey)) {
    event.target.closest("form")?.requestSubmit(current()?.querySelector("[name=saved]"));
  } else if (key === "enter" && event.target.matches("textarea[data-key]")) {
    event.preventDefault();
    event.target.blur();
  } else if (key === "escape" && !document.querySelector(":popover-open")) {
    if (event.target.matches(FIELDS)) (current() ?? document.getElementById("page")).focus({ preventScroll: true });
    else current()?.querySelector("[data-act=cancel]")?.click();
  } else if (!event.altKey && !event.ctrlKey && !event.metaKey && !inField(event.target)) {
    const isOpening = [...onTheWay.values()].some(({ parts }) => current() && parts.includes(current()));
    const direction = { j: 1, k: -1 }[key];
    if (event.repeat && !direction) return;
    if (key === "enter" && event.target.closest("a, button, summary")) return;
    if (!isOpening && !direction && !press(key)) return;
    event.preventDefault();
    if (direction && !isOpening) step(direction);
  }
});
