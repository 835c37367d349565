// Runs before the first paint, so that a reader who chose a theme never sees the other one flash by.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.dataset.theme = chosen;
}
