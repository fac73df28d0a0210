// Labelling: a key answers at once, and answers wait in a queue until the workbench has stored them. The queue
// is in the browser's storage as well, so that a reload or a killed workbench loses none.

const form = document.getElementById("label-form");
const fields = form.elements, status = document.getElementById("unsaved");
const ahead = document.getElementById("ahead"); // the next texts
const prefix = `semscale-label/${form.dataset.queue}/`;
const queue = new Map(); // answers by name, in their order
const given = []; // answers of this page, which can be undone at once: their keys and texts
const done = new Set(); // rows that were answered here
let sending = false, reloads = false, refused = "";

const parse = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
const stored = (act) => { try { return act(localStorage); } catch { return []; } }; // it may be switched off

function report(problem) {
  const unsaved = `${queue.size} not saved yet`;
  status.textContent = problem ? `${unsaved}: ${problem.replace(/\.$/, "")}. It is tried again.`
    : queue.size > 2 ? unsaved : refused;
  status.classList.toggle("problem", Boolean(problem || refused));
}

async function send() {
  if (sending) return;
  sending = true;
  let problem = "";
  while (queue.size && !problem) {
    const [name, body] = queue.entries().next().value;
    const request = { method: "POST", headers: { "X-Semscale-Queued": "1" }, body: new URLSearchParams(body) };
    const answer = await fetch(form.action, request).catch(() => null);
    if (answer?.ok || answer?.status === 409) { // someone else has decided: trying again would not help
      refused = answer.ok ? refused : (await parse(answer)).querySelector("#message bdi").textContent;
      queue.delete(name);
      stored((store) => store.removeItem(name));
    } else if (answer) problem = (await parse(answer)).querySelector("#message bdi, main p")?.textContent ?? "this failed";
    else problem = "the workbench does not answer";
    report(problem);
  }
  sending = false;
  if (problem) setTimeout(send, 1500);
  else if (reloads) location.reload();
  else htmx.trigger(ahead, "stored"); // which loads the next texts and the figures
}

function leaveOutAnswered() {
  for (const text of [...ahead.children])
    if (done.has(text.dataset.row) || text.dataset.row === fields.row.value) text.remove();
  if (done.has(fields.row.value) || fields.row.value === "0") show(ahead.firstElementChild);
}

function show(next) {
  const text = next ?? document.getElementById("finished").content.firstElementChild.cloneNode(true);
  form.querySelector(".shown").replaceChildren(text);
  form.reset();
  fields.row.value = text.dataset.row;
  fields.key.value = crypto.randomUUID();
  for (const part of form.querySelectorAll("fieldset")) part.disabled = text.dataset.row === "0";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter, isUndo = button?.value === "undo", text = form.querySelector(".shown > div");
  if (!button) return; // Ctrl and Enter choose nothing
  if (button.matches(".save") && !form.querySelector("[name=label]:checked")) {
    status.textContent = "Choose a code, or press n for none of these.";
    return;
  }
  const undone = isUndo ? given.pop() : undefined;
  fields.undoes.value = undone?.key ?? "";
  const name = `${prefix}${(performance.timeOrigin + performance.now()).toFixed(3)} ${fields.key.value}`;
  queue.set(name, new URLSearchParams(new FormData(form, button)).toString());
  stored((store) => store.setItem(name, queue.get(name)));
  if (!isUndo) {
    given.push({ key: fields.key.value, text });
    if (button.value !== "skip") done.add(text.dataset.row);
    form.querySelector("[value=undo]").disabled = false;
    show(ahead.firstElementChild);
  } else if (undone) {
    done.delete(undone.text.dataset.row);
    if (text.dataset.row !== "0") ahead.prepend(text);
    show(undone.text);
  } else reloads = true; // the page does not have the text any more
  refused = "";
  report();
  htmx.trigger(ahead, "htmx:abort"); // texts on their way are out of date
  send();
});

ahead.addEventListener("htmx:afterOnLoad", leaveOutAnswered);
ahead.addEventListener("htmx:sendError", (event) => event.stopPropagation()); // the queue tells of it
addEventListener("beforeunload", (event) => queue.size && event.preventDefault());
for (const name of stored(Object.keys).filter((known) => known.startsWith(prefix)).sort()) {
  const answer = new URLSearchParams(localStorage.getItem(name));
  queue.set(name, answer.toString());
  if (!["undo", "skip"].includes(answer.get("act"))) done.add(answer.get("row"));
}
leaveOutAnswered();
send();
