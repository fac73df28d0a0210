// Keys of the page on which a scale is written. The page works without this file.

// The set that is being written has its own bars, also before its first change.
document.addEventListener("focusin", (event) => {
  const set = event.target.closest?.("[data-set]"), current = document.querySelector("#scale-form [name=current]");
  if (!set || current.value === set.dataset.set) return;
  current.value = set.dataset.set;
  current.dispatchEvent(new Event("input", { bubbles: true }));
});

function fieldsFrom(field) { // it, and those after it
  const fields = [...field.closest("details, fieldset, .fields").querySelectorAll("input:not([type=hidden])")];
  return fields.slice(fields.indexOf(field));
}

// Enter goes to the next sentence; the button or Ctrl and Enter saves.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || !event.target.matches("#scale-form input")) return;
  event.preventDefault();
  fieldsFrom(event.target)[1]?.focus();
});

// Several lines that are pasted into a sentence fill the sentences after it.
document.addEventListener("paste", (event) => {
  if (!event.target.matches("#scale-form [name=anchor]")) return;
  const lines = event.clipboardData.getData("text").split("\n").map((line) => line.trim()).filter(Boolean);
  if (lines.length < 2) return;
  event.preventDefault();
  for (const field of fieldsFrom(event.target).slice(0, lines.length)) {
    field.value = lines.shift();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
});
