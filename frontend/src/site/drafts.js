// What is typed into a note stays in this tab until the server has it: a session may end meanwhile, or the network.
const NOTES = "textarea[name=note]";

function key(note) {
  return `draft:${note.form.getAttribute("action")}`;
}

function stored(work) {
  try {
    return work(sessionStorage);
  } catch {
    return null; // storage is refused: a note is as safe as the page
  }
}

function bringBack() {
  for (const note of document.querySelectorAll(NOTES)) {
    const draft = stored((kept) => kept.getItem(key(note)));
    if (draft === null || note.hasAttribute("aria-invalid")) continue;
    if (draft.trim() === note.defaultValue.trim()) {
      stored((kept) => kept.removeItem(key(note)));
      continue;
    }
    note.value = draft;
    note.closest("details")?.setAttribute("open", "");
  }
}

document.addEventListener("input", (event) => {
  if (!event.target.matches(NOTES)) return;
  stored((kept) => kept.setItem(key(event.target), event.target.value));
});

// Whoever signs in here next finds none of it.
document.addEventListener("submit", (event) => {
  if (event.target.matches('[action$="/logout/"]')) stored((kept) => kept.clear());
});

document.addEventListener("htmx:after:swap", bringBack);
bringBack();
