/**
 * Builds the page and prints the size of its first load; a first load over the limit fails the build. `node scripts/build-web.mjs`
 * writes dist/web, which contains everything: the page loads nothing from other hosts.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { root } from "./setup.mjs";

/** Limit before first paint, without terminal and plots. */
const FIRST_LOAD_LIMIT_BYTES = 70 * 1024;

export async function buildWeb(directory = join(root, "dist", "web")) {
  await build({
    configFile: false,
    root: join(root, "src/web"),
    base: "/",
    logLevel: "warn",
    // Otherwise a build that tests ask for would hold the place of every element in the source.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: "es2022",
      // An inline script would need an exception in the content security policy.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The terminal, which is loaded on demand.
      chunkSizeWarningLimit: 700,
      manifest: "manifest.build.json",
      // It reports how long other programs used the CPU, which is not the page's fault.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
  nameOfflineFiles(directory);
  const { first, limit } = webSizes(directory);
  if (first > limit) throw new Error(`the page's first load is ${kib(first)} gzipped, more than ${kib(limit)}`);
  return directory;
}

/** The offline cache holds exactly the files of this build, under a name that changes with any of them. */
function nameOfflineFiles(directory) {
  const files = ["/", "/icon.svg", ...readdirSync(join(directory, "assets")).map((name) => `/assets/${name}`)];
  const version = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 12);
  const path = join(directory, "sw.js");
  const text = readFileSync(path, "utf8")
    .replace("__VERSION__", JSON.stringify(version))
    .replace("__FILES__", JSON.stringify(files));
  writeFileSync(path, text);
}

/** Gzipped sizes of the first load and of the rest. */
export function webSizes(directory = join(root, "dist", "web")) {
  const manifest = JSON.parse(readFileSync(join(directory, "manifest.build.json"), "utf8"));
  const first = new Set(["index.html"]);
  const visit = (name) => {
    const chunk = manifest[name];
    for (const file of [chunk.file, ...(chunk.css ?? [])]) first.add(file);
    for (const next of chunk.imports ?? []) visit(next);
  };
  visit("index.html");
  const size = (file) => gzipSync(readFileSync(join(directory, file))).length;
  const rows = [...first, ...readdirSync(join(directory, "assets")).map((name) => `assets/${name}`)]
    .filter((file, index, all) => all.indexOf(file) === index)
    .map((file) => ({ file, bytes: size(file), first: first.has(file) }));
  const total = (test) => rows.filter(test).reduce((sum, { bytes }) => sum + bytes, 0);
  return { rows, first: total((row) => row.first), all: total(() => true), limit: FIRST_LOAD_LIMIT_BYTES };
}

function kib(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (!process.argv.includes("--sizes") || !existsSync(join(root, "dist/web/manifest.build.json"))) await buildWeb();
  const { rows, first, all, limit } = webSizes();
  const column = (bytes) => kib(bytes).padStart(10);
  for (const { file, bytes, first: early } of rows.sort((a, b) => b.bytes - a.bytes)) {
    process.stdout.write(`${column(bytes)}  ${early ? "first" : "later"}  ${file}\n`);
  }
  process.stdout.write(`${column(first)}  first load, gzip (limit ${kib(limit)})\n${column(all)}  everything, gzip\n`);
  if (first > limit) process.exit(1);
}
