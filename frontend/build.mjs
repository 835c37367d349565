// Builds everything the browser loads into dist/, which Django serves as static files.
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import esbuild from "esbuild";
import { cutFonts } from "./fonts.mjs";

const root = import.meta.dirname;
const dist = path.join(root, "dist");
const modules = path.join(root, "node_modules");

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

const scripts = (await readdir(path.join(root, "src")))
  .filter((name) => name.endsWith(".js"))
  .map((name) => path.join(root, "src", name));

await Promise.all([
  esbuild.build({
    entryPoints: scripts,
    outdir: dist,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
  }),
  esbuild.build({
    entryPoints: [path.join(root, "src/css/site.css"), path.join(root, "src/css/maths.css")],
    outdir: dist,
    bundle: true,
    minify: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    loader: { ".svg": "dataurl", ".woff2": "file", ".woff": "empty", ".ttf": "empty" },
    assetNames: "maths/[name]",
    external: ["./fonts/*"],
  }),
  cp(path.join(modules, "htmx.org/dist/htmx.min.js"), path.join(dist, "htmx.js")),
  cp(path.join(root, "src/icon.svg"), path.join(dist, "icon.svg")),
  cutFonts(modules, path.join(dist, "fonts")),
]);

if (!existsSync(path.join(dist, "site.css"))) {
  throw new Error("the build wrote no site.css");
}
