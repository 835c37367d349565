// Sets the maths of an answer. The renderer leaves TeX between \( \) or \[ \] in .arithmatex.
import katex from "katex";

// A formula wider than the page scrolls by itself: then, and only then, the keyboard must reach it.
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isWide = target.scrollWidth > target.clientWidth;
    target.toggleAttribute("tabindex", isWide);
    if (isWide) target.tabIndex = 0;
  }
});

for (const place of document.querySelectorAll(".arithmatex")) {
  const tex = place.textContent.trim();
  const displayMode = tex.startsWith("\\[");
  katex.render(tex.slice(2, -2), place, { displayMode, throwOnError: false });
  if (!displayMode) continue;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "Formula");
  watcher.observe(place);
}
