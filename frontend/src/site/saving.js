// The small forms that change in place: a second click is no second wish, and a failure is said where it happened.
document.addEventListener(
  "click",
  (event) => {
    // After the first click another button stands in the same place, which would undo it.
    if (event.detail > 1 && event.target.closest("form[hx-post]")) event.preventDefault();
  },
  { capture: true },
);

function say(event, text) {
  const form = event.detail.ctx.sourceElement;
  const status = form.closest("#mark, #bookmark")?.querySelector("[role=status]");
  if (!status) return;
  status.classList.remove("unseen");
  status.textContent = text;
}

document.addEventListener("htmx:error", (event) => {
  say(event, "Not saved: the site cannot be reached. Try again in a moment.");
});

document.addEventListener("htmx:response:error", (event) => {
  const { status } = event.detail.ctx.response;
  if (status !== 422)
    say(event, `Not saved: the site answered with an error (${status}). Try again.`);
});
