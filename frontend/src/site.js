// The theme switch, "/" to search, forms that change in place, and maths that is far down the page. A page can be read without this file.
import "./site/drafts.js";
import "./site/saving.js";

const page = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function shownTheme() {
  return page.dataset.theme ?? (systemDark.matches ? "dark" : "light");
}

function nameSwitch(button) {
  const other = shownTheme() === "dark" ? "light" : "dark";
  button.setAttribute("aria-label", `Use the ${other} theme`);
  button.title = `Use the ${other} theme`;
}

function switchTheme(button) {
  const other = shownTheme() === "dark" ? "light" : "dark";
  const isSystem = other === (systemDark.matches ? "dark" : "light");
  page.dataset.theme = other;
  try {
    // Choosing what the system shows anyway means following the system again.
    if (isSystem) localStorage.removeItem("theme");
    else localStorage.setItem("theme", other);
  } catch {
    // Storage is refused: the choice lasts for this page.
  }
  nameSwitch(button);
}

const button = document.querySelector("[data-theme-switch]");
if (button) {
  nameSwitch(button);
  button.addEventListener("click", () => switchTheme(button));
  systemDark.addEventListener("change", () => nameSwitch(button));
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector(".masthead input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
});

const menu = document.querySelector(".menu");
if (menu) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// A page that opens with something else fetches the maths of its answer when the reader nears it.
const later = document.querySelector("[data-maths-script]");
const firstMaths = later?.querySelector(".arithmatex");
if (firstMaths) {
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      const style = document.createElement("link");
      style.rel = "stylesheet";
      style.href = later.dataset.mathsStyle;
      const script = document.createElement("script");
      script.src = later.dataset.mathsScript;
      // The letters are measured as they are set: their style must be there first.
      style.addEventListener("load", () => document.head.append(script));
      document.head.append(style);
    },
    { rootMargin: "400px" },
  );
  watcher.observe(firstMaths);
}
