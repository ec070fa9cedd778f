/**
 * Bundles the command into CommonJS files with source maps: `amux.cjs`, the programs the daemon starts, and shared chunks.
 * esbuild splits only modules, so it splits first and converts each file after that.
 */
import { build, transform } from "esbuild";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "./setup.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

export const SHARED = {
  bundle: true,
  platform: "node",
  target: "node20",
  absWorkingDir: root,
  // Native code stays where npm put it; so does the database client, which few need.
  external: ["@photostructure/sqlite", "@lydell/*", "pg"],
  define: { AMUX_VERSION: JSON.stringify(version) },
  legalComments: "none",
  logLevel: "warning",
};

/** `import.meta` in a CommonJS file. */
export const IMPORT_META = {
  banner: { js: 'const importMeta={get url(){return require("node:url").pathToFileURL(__filename).href}};' },
  define: {
    "import.meta.url": "importMeta.url",
    "import.meta.dirname": "__dirname",
    "import.meta.filename": "__filename",
  },
};

const ENTRIES = {
  amux: "src/cli/launcher.ts",
  "history-worker": "src/daemon/files/history-worker.ts",
  "ledger-worker": "src/daemon/peers/ledger-worker.ts",
  "relay-process": "src/daemon/relay/relay-process.ts",
};

export async function buildCommand(directory) {
  const [{ outputFiles }] = await Promise.all([
    build({
      ...SHARED,
      entryPoints: ENTRIES,
      outdir: directory,
      outExtension: { ".js": ".cjs" },
      chunkNames: "chunks/[name]-[hash]",
      format: "esm",
      splitting: true,
      sourcemap: "inline",
      sourcesContent: false,
      write: false,
    }),
    // A file of its own: agents start it at every event.
    build({
      ...SHARED,
      entryPoints: { "amux-hook": "src/hook/amux-hook.ts" },
      outdir: directory,
      outExtension: { ".js": ".cjs" },
      format: "cjs",
      minify: true,
      banner: IMPORT_META.banner,
      define: { ...SHARED.define, ...IMPORT_META.define },
    }),
  ]);
  await Promise.all(outputFiles.map(({ path, text }) => writeCommonJs(path, text)));
  chmodSync(join(directory, "amux.cjs"), 0o755);
}

async function writeCommonJs(path, text) {
  const { code, map } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    sourcefile: path,
    sourcemap: true,
    sourcesContent: false,
    supported: { "dynamic-import": false },
    minifySyntax: true,
    minifyWhitespace: true,
    define: IMPORT_META.define,
    banner: text.includes("import.meta") ? IMPORT_META.banner.js : "",
    legalComments: "none",
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, map);
}
