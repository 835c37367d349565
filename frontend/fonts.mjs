// Cuts the faces down to the characters that the site sets, so that a first visit stays light.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import subsetFont from "subset-font";

const core = range(0x20, 0x7e) + "\u00a0§©°±²³µ·¹¼½¾×÷‑–—‘’“”†•…′″€↑↓−";
const accents = range(0xa1, 0xff) + "ıŒœ‹›™‰";
const greek = range(0x391, 0x3a9) + range(0x3b1, 0x3c9);

// Kerning, ligatures, and the figure styles that tables ask for.
const features = ["kern", "liga", "calt", "ccmp", "locl", "mark", "tnum", "lnum", "sups"];

const faces = [
  { package: "source-serif-4", name: "text", cut: "400-normal" },
  { package: "source-serif-4", name: "text", cut: "400-italic" },
  { package: "source-serif-4", name: "text", cut: "600-normal" },
  { package: "inter", name: "ui", cut: "400-normal" },
  { package: "inter", name: "ui", cut: "600-normal" },
  { package: "jetbrains-mono", name: "code", cut: "400-normal", ligatures: false },
];

const subsets = [
  { name: "core", source: "latin", text: core },
  { name: "accents", source: "latin", text: accents },
  { name: "greek", source: "greek", text: greek },
  { name: "rupee", source: "latin-ext", text: "₹" },
];

/** Every face in every subset, as `<folder>/<face>-<subset>-<cut>.woff2`. */
export async function cutFonts(modules, folder) {
  await mkdir(folder, { recursive: true });
  for (const face of faces) {
    for (const subset of subsets) {
      const source = path.join(
        modules,
        `@fontsource/${face.package}/files/${face.package}-${subset.source}-${face.cut}.woff2`,
      );
      const kept = face.ligatures === false ? features.filter((tag) => tag !== "calt") : features;
      const cut = await subsetFont(await readFile(source), subset.text, {
        targetFormat: "woff2",
        keepFeatures: kept,
        noHinting: true,
      });
      await writeFile(path.join(folder, `${face.name}-${subset.name}-${face.cut}.woff2`), cut);
    }
  }
}

function range(first, last) {
  return String.fromCodePoint(
    ...Array.from({ length: last - first + 1 }, (_, step) => first + step),
  );
}
