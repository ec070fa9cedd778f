/**
 * Bundles parts of the command, with all they need, into one CommonJS file each: dozens of modules take longer to find and
 * link than a short command takes to answer. They are loaded together with their compiled code.
 */
import { build, transform } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evaluatedAtFirstUse } from "./first-use.mjs";
import { IMPORT_META } from "./import-meta.mjs";
import { loadable } from "./loadable.mjs";

// The same as in src/cli/history-bundle.ts.
const HISTORY_COMMAND = /\/(sessions-(search|show|export|diff)|index-(status|build|clear))\.ts$/;
const ACCOUNTS_COMMAND = /\/(sessions-list|cost-report)\.ts$/;
const NO_RUNS = { name: "no-runs", setup: leaveOutRuns };
const PRICES_LATER = { name: "prices-later", setup: leaveForLater };
const NO_SEARCH = { name: "no-search", setup: leaveOutSearch };

/** What reads history; src/cli/history-bundle.ts loads it. Writes it into `directory`; gives its name, which changes with its contents. */
export function buildHistory(directory, shared) {
  return bundle(directory, shared, "history", (path) => !HISTORY_COMMAND.test(path), [NO_RUNS]);
}

/** What lists and adds up sessions; loaded by the same. */
export function buildAccounts(directory, shared) {
  return bundle(directory, shared, "accounts", (path) => !ACCOUNTS_COMMAND.test(path), [NO_RUNS, NO_SEARCH]);
}

/** What bills one agent's sessions in a thread; src/sessions/cost/billing-load.ts loads it. */
export function buildBilling(directory, shared) {
  return write(directory, "billing", {
    ...shared,
    entryPoints: ["src/sessions/cost/billing-worker.ts"],
    plugins: [NO_RUNS],
  });
}

/** The terminal interface; src/cli/launcher.ts loads it. */
export function buildInterface(directory, shared) {
  return bundle(directory, shared, "interface", (path) => !/\/tui(-services\.ts$|\/)/.test(path));
}

/** What users and scripts call all day: the commands for live sessions; src/cli/launcher.ts loads it. */
export function buildLive(directory, shared) {
  return write(directory, "live", { ...shared, entryPoints: ["src/cli/live.ts"] });
}

function bundle(directory, shared, prefix, isLeftOut, plugins = []) {
  return write(directory, prefix, {
    ...shared,
    entryPoints: ["src/cli/main.ts"],
    plugins: [{ name: "other-commands", setup: (plugin) => leaveOut(plugin, isLeftOut) }, ...plugins],
  });
}

async function write(directory, prefix, options) {
  const { outputFiles, metafile } = await build({
    ...options,
    plugins: [...(options.plugins ?? []), PRICES_LATER],
    outdir: directory,
    write: false,
    format: "cjs",
    metafile: true,
    // The file is run by node:vm, where import() would need a loader of its own.
    supported: { "dynamic-import": false },
    banner: IMPORT_META.banner,
    define: { ...options.define, ...IMPORT_META.define },
  });
  const contents = await minified(loadable(evaluatedAtFirstUse(outputFiles[0].text, Object.keys(metafile.inputs))));
  const name = `${prefix}-${createHash("sha256").update(contents).digest("hex").slice(0, 12)}.cjs`;
  writeFileSync(join(directory, name), contents);
  return name;
}

/** Names, too: a shorter text and shorter names are loaded sooner. Called by somebody, as esbuild leaves out what nobody needs. */
async function minified(text) {
  const { code } = await transform(`load${text}`, { minify: true, target: "node20", legalComments: "none" });
  return code.slice("load".length);
}

/** Other commands are never asked for here, nor is an archive or another machine. */
function leaveOut({ onResolve }, isLeftOut) {
  onResolve({ filter: /\/((commands|archive|tui|peers)\/.+|tui-services)\.ts$/ }, ({ path, kind }) =>
    kind === "dynamic-import" && isLeftOut(path) ? { path, external: true } : undefined,
  );
}

/** Prices are a text until somebody asks for one: thousands of objects would be loaded with everything that may need them. */
function leaveForLater({ onLoad }) {
  onLoad({ filter: /\/prices\.gen\.json$/ }, ({ path }) => {
    const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
    const { vendors: _, aliases: __, ...few } = JSON.parse(text);
    return {
      contents: `let all;
        const parsed = () => (all ??= JSON.parse(${JSON.stringify(text)}));
        export default {
          ...${JSON.stringify(few)},
          get vendors() { return parsed().vendors; },
          get aliases() { return parsed().aliases; },
        };`,
    };
  });
}

/** Nobody searches in a list. */
function leaveOutSearch({ onResolve }) {
  onResolve({ filter: /\/search\/engine\.ts$/ }, ({ path, kind }) =>
    kind === "dynamic-import" ? { path, external: true } : undefined,
  );
}

/** What starts agents and hears from them is of no use to whoever reads what they left behind. */
function leaveOutRuns({ onResolve, onLoad }) {
  onResolve({ filter: /^\.\/(run|hooks|fork-at)\.ts$/ }, ({ path, importer }) =>
    /\/src\/agents\/[a-z]+\/index\.ts$/.test(importer) ? { path, namespace: "no-runs" } : undefined,
  );
  onLoad({ filter: /.*/, namespace: "no-runs" }, () => ({
    contents: "export const run = undefined, hooks = undefined, forkAt = undefined;",
  }));
}
