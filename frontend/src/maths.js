// Sets the maths of an answer. The renderer leaves TeX between \( \) or \[ \] in .arithmatex.
import katex from "katex";

for (const place of document.querySelectorAll(".arithmatex")) {
  const tex = place.textContent.trim();
  const displayMode = tex.startsWith("\\[");
  katex.render(tex.slice(2, -2), place, { displayMode, throwOnError: false });
}
