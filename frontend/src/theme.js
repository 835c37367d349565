// Runs before the first paint, so that a reader who chose a theme never sees the other one flash by.
const page = document.documentElement;
page.classList.add("scripted");
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") page.dataset.theme = chosen;
} catch {
  // Storage is refused: the system's theme stands.
}
