// Keys of the page on which a scale is written. The page works without this file.
"use strict";

const scaleForm = () => document.getElementById("scale-form");

// The set that is being written has its own bars, also before its first change.
document.addEventListener("focusin", (event) => {
  const set = event.target.closest?.("[data-set]");
  const current = scaleForm()?.elements.current;
  if (!set || current.value === set.dataset.set) return;
  current.value = set.dataset.set;
  current.dispatchEvent(new Event("input", { bubbles: true }));
});

function nextField(field) {
  const fields = [...field.closest("details, fieldset, .fields").querySelectorAll("input:not([type=hidden])")];
  return fields[fields.indexOf(field) + 1];
}

// Enter goes to the next sentence; the button or Ctrl and Enter saves.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || !event.target.matches("#scale-form input")) return;
  event.preventDefault();
  nextField(event.target)?.focus();
});

// Several lines that are pasted into a sentence fill the sentences after it.
document.addEventListener("paste", (event) => {
  if (!event.target.matches("#scale-form [name=anchor]")) return;
  const lines = event.clipboardData.getData("text").split("\n").map((line) => line.trim()).filter(Boolean);
  if (lines.length < 2) return;
  event.preventDefault();
  let field = event.target;
  for (const line of lines) {
    if (!field) break;
    field.value = line;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field = nextField(field);
  }
});
