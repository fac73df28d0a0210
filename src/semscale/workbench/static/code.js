// Codes and tables: dragging onto a net or a zone, and lists that open at once. Every form works without this file.
"use strict";

const netBelow = (event) => (dragged?.matches("[data-code]") ? event.target.closest?.("[data-net]") : null);

document.addEventListener("dragover", (event) => {
  for (const net of document.querySelectorAll(".net.over")) net.classList.remove("over");
  const net = netBelow(event);
  if (!net) return;
  event.preventDefault();
  net.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const net = netBelow(event);
  const list = dragged?.querySelector("[data-act=net]");
  if (!net || !list || list.value === net.dataset.net) return;
  event.preventDefault();
  list.value = net.dataset.net;
  list.dispatchEvent(new Event("change", { bubbles: true }));
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// After a change, the focus is on the same code, or on the one that has taken its position.
let changed = null;
document.addEventListener("htmx:beforeRequest", (event) => {
  const card = event.detail.elt.closest("[data-code]") ?? document.querySelector("[name=join]:checked")?.closest("[data-code]");
  changed = card && { id: card.id, index: questions().indexOf(card) };
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (isElsewhere || !changed || event.detail.target.id !== "questions" || event.detail.requestConfig.verb !== "post") return;
  const cards = questions();
  focusQuestion(document.getElementById(changed.id) ?? cards[Math.min(changed.index, cards.length - 1)]);
});
