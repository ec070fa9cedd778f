/**
 * Bundles the commands that read history, with all they need, into one CommonJS file: dozens of modules take longer to
 * find and link than such a command takes to answer. src/cli/history-bundle.ts loads it together with its compiled code.
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The same as in src/cli/history-bundle.ts. */
const HISTORY_COMMAND = /\/(sessions-(list|search|show|export|diff)|cost-report|index-(status|build|clear))\.ts$/;

/** Writes it into `directory`; gives its name, which changes with its contents. */
export async function buildHistory(directory, shared) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["src/cli/main.ts"],
    outdir: directory,
    write: false,
    format: "cjs",
    minifyWhitespace: true,
    minifySyntax: true,
    // The file is run by node:vm, where import() would need a loader of its own.
    supported: { "dynamic-import": false },
    plugins: [{ name: "other-commands", setup: leaveOutOtherCommands }],
    banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
    define: { ...shared.define, "import.meta.url": "importMetaUrl" },
  });
  const { contents } = outputFiles[0];
  const name = `history-${createHash("sha256").update(contents).digest("hex").slice(0, 12)}.cjs`;
  writeFileSync(join(directory, name), contents);
  return name;
}

/** They are never asked for here, nor is an archive, another machine or the terminal interface. */
function leaveOutOtherCommands({ onResolve }) {
  onResolve({ filter: /\/(commands|archive|tui|peers)\/.+\.ts$/ }, ({ path, kind }) =>
    kind === "dynamic-import" && !HISTORY_COMMAND.test(path) ? { path, external: true } : undefined,
  );
}
