import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** Who may import whom. The same table is in docs/architecture.md. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  lib: ["core"],
  protocol: ["core"],
  models: ["core", "lib"],
  agents: ["core", "lib"],
  history: ["core", "lib", "models", "agents"],
  redaction: ["core", "lib", "protocol", "history", "screen"],
  archive: ["core", "lib", "models", "agents", "history", "redaction"],
  run: ["core", "lib", "models", "agents"],
  limits: ["core", "lib"],
  status: ["core", "lib", "protocol"],
  changes: ["core", "lib", "protocol", "models", "agents", "history", "status"],
  client: ["core", "lib", "protocol"],
  hook: ["core", "lib", "protocol", "agents", "limits", "status"],
  screen: ["lib", "protocol"],
  runner: ["core", "lib", "protocol", "agents", "limits", "status", "screen"],
  daemon: [
    "core",
    "lib",
    "protocol",
    "models",
    "agents",
    "history",
    "redaction",
    "changes",
    "limits",
    "status",
    "client",
  ],
  tui: ["core", "lib", "protocol", "client", "status", "history", "changes", "screen"],
  web: ["core", "protocol", "client", "screen"],
  "index.ts": ["core", "lib", "models", "agents", "history", "changes", "run", "client"],
  cli: [
    "core",
    "lib",
    "protocol",
    "models",
    "agents",
    "history",
    "redaction",
    "archive",
    "run",
    "changes",
    "limits",
    "status",
    "client",
    "hook",
    "screen",
    "tui",
    "index.ts",
  ],
};

/**
 * Files that open others without `lib/fs/foreign-file.ts`: they write, read /proc or parts of the program, or take a path from
 * the user.
 */
const READS_ITSELF = [
  "cli/commands/peers-add.ts",
  "cli/mux/piped-input.ts",
  "cli/mux/screen-png.ts",
  "cli/run/prompt.ts",
  "daemon/http/page.ts",
  "daemon/process/watchdog.ts",
  "hook/agent-process.ts",
  "lib/fs/atomic-file.ts",
  "lib/sqlite/database-copy.ts",
  "lib/fs/foreign-file.ts",
  "lib/fs/growing-file.ts",
  "lib/process/processes.ts",
  "run/run-index.ts",
  "runner/lower-priority.ts",
  "runner/pty.ts",
  "history/cache/database.ts",
  "status/process-usage.ts",
];

/**
 * Files that use internal parts of xterm.js, which `screen/emulator-core.ts` lists: exact pictures need cells, attributes and
 * margins, recordings the place of each character, and some bugs a patch. Its version is pinned.
 */
const USES_INTERNALS = [
  "redaction/cast-screen.ts",
  ...["cells", "emulator", "emulator-patches", "fast-print", "history", "row-paint", "screen-paint", "sgr"].map(
    (name) => `screen/${name}.ts`,
  ),
  "screen/spilled-rows.ts",
  "screen/unfinished-sequence.ts",
  "tui/render/emulator-cells.ts",
  "web/terminal/xterm-patches.ts",
];

/** Loaded by the command line only when the verb is used. */
const LAZY_FROM_CLI = ["runner", "daemon", "tui"];

interface Import {
  file: string;
  line: number;
  target: string;
  lazy: boolean;
}

describe("the source tree", () => {
  const files = sourceFiles(SRC);
  const imports = files.flatMap(importsOf);

  it("imports in one direction", () => {
    const wrong = imports.filter(isForbidden).map((found) => `${found.file}:${found.line} imports ${found.target}`);
    expect(wrong).toEqual([]);
  });

  it("keeps each agent's code out of every other's", () => {
    const names = agentNames();
    const wrong = imports
      .filter(({ file, target }) => {
        const from = file.split("/");
        const to = target.split("/");
        if (to[0] !== "agents" || !names.includes(to[1]!)) return false;
        return from[1] !== to[1] && !file.endsWith(".gen.ts");
      })
      .map(({ file, line, target }) => `${file}:${line} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  it("names no agent outside its folder", () => {
    const names = agentNames().filter((name) => !["cursor", "pi"].includes(name));
    const word = new RegExp(`["'\`](${names.join("|")})["'\`]`);
    const wrong = files
      .filter((file) => !file.startsWith("agents/") && !file.endsWith(".test.ts") && !file.startsWith("models/"))
      .flatMap((file) =>
        linesOf(file).flatMap((text, index) => (word.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : [])),
      );
    expect(wrong).toEqual([]);
  });

  it("keeps test-only code out of the program", () => {
    const isForTests = (path: string): boolean => path.includes("/testing/") || path.endsWith(".test.ts");
    const wrong = imports
      .filter(({ file, target }) => isForTests(target) && !isForTests(file))
      .map(({ file, line, target }) => `${file}:${line} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  it("has no circle of imports", () => {
    const next = new Map<string, Set<string>>();
    for (const { file, target, lazy } of imports) {
      if (lazy || file.endsWith(".test.ts")) continue;
      next.set(file, (next.get(file) ?? new Set()).add(target));
    }
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      const at = path.indexOf(file);
      if (at !== -1) return void circles.push([...path.slice(at), file].join(" → "));
      if (done.has(file)) return;
      for (const target of next.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of next.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it("has no file with more than one idea", () => {
    const long = files.filter(
      (file) => !file.endsWith(".test.ts") && !file.endsWith(".gen.ts") && linesOf(file).length > 400,
    );
    expect(long).toEqual([]);
  });

  it("reads foreign files only in the way that cannot hang", () => {
    const read = /(?<![#.\w])(?:readFileSync|readFile|createReadStream|openSync)\(/;
    const wrong = files
      .filter((file) => !file.endsWith(".test.ts") && !file.includes("testing/") && !READS_ITSELF.includes(file))
      .flatMap((file) =>
        linesOf(file).flatMap((text, index) => (read.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : [])),
      );
    expect(wrong).toEqual([]);
  });

  it("uses internals of libraries only in files that say why, and of Node nowhere", () => {
    const uses = (pattern: RegExp): string[] =>
      files.filter((file) => !file.endsWith(".test.ts") && linesOf(file).some((text) => pattern.test(text)));
    // `_tag` is in our own frames, `_default` is zod's documented name.
    expect(uses(/\._(?!(?:tag|default)\b)[a-z]\w*/).toSorted()).toEqual(USES_INTERNALS.toSorted());
    expect(uses(/process\.binding|natives-syntax|setFlagsFromString|internalBinding|\b_handle\b/)).toEqual([]);
  });

  it("would notice a wrong import", () => {
    expect(isForbidden({ file: "core/x.ts", line: 1, target: "lib/y.ts", lazy: false })).toBe(true);
    expect(isForbidden({ file: "cli/x.ts", line: 1, target: "runner/main.ts", lazy: false })).toBe(true);
    expect(isForbidden({ file: "cli/x.ts", line: 1, target: "runner/main.ts", lazy: true })).toBe(false);
    expect(isForbidden({ file: "history/x.ts", line: 1, target: "models/y.ts", lazy: false })).toBe(false);
  });
});

function isForbidden({ file, target, lazy }: Import): boolean {
  const from = folderOf(file);
  const to = folderOf(target);
  // A test may import anything for its setup.
  if (file.endsWith(".test.ts")) return false;
  if (from === to) return false;
  if (from === "cli" && lazy && LAZY_FROM_CLI.includes(to)) return false;
  return !(MAY_IMPORT[from] ?? []).includes(to);
}

function folderOf(file: string): string {
  return file.split("/")[0]!;
}

function agentNames(): string[] {
  return readdirSync(join(SRC, "agents"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "shared")
    .map((entry) => entry.name);
}

function sourceFiles(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (name === "fixtures") return [];
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(name) ? [relative(SRC, path)] : [];
  });
}

function linesOf(file: string): string[] {
  return readFileSync(join(SRC, file), "utf8").split("\n");
}

function importsOf(file: string): Import[] {
  return linesOf(file).flatMap((text, index) =>
    [...text.matchAll(/(?:from|import)\s*(\()?\s*"(\.[^"]+)"/g)].map((match) => ({
      file,
      line: index + 1,
      target: relative(SRC, join(SRC, dirname(file), match[2]!)),
      lazy: match[1] !== undefined,
    })),
  );
}
