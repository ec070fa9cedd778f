/** What documents say is true: generated pages are current, examples run, names exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseInvocation } from "../../src/cli/command.ts";
import { COMMANDS, findCommand } from "../../src/cli/commands.ts";
import { Output } from "../../src/cli/output.ts";
import { openApiDocument } from "../../src/daemon/http/openapi.ts";
import { TestApp } from "../../src/daemon/http/testing/test-app.ts";
import { warmCli } from "../support/warm-cli.ts";
import { apiPage, cliPage, libraryPage, type OpenApi } from "./made-pages.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOME = join(ROOT, "src/agents/claude/fixtures/home");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

const FILES = ["src", "test", "scripts", "bench", "examples"].flatMap(filesBelow);
const SOURCES = FILES.filter((path) => /^src.*\.tsx?$/.test(path) && !/\.(?:test|gen)\./.test(path));
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  ...filesBelow("docs").filter((path) => path.endsWith(".md")),
  ...filesBelow("src").filter((path) => path.endsWith("README.md")),
];

describe("a generated page is current", () => {
  it("docs/cli.md", async () => {
    await expect(await cliPage(COMMANDS)).toMatchFileSnapshot(join(ROOT, "docs/cli.md"));
  });

  it("docs/api.md", async () => {
    const document = openApiDocument(new TestApp().routes, "") as unknown as OpenApi;
    await expect(apiPage(document)).toMatchFileSnapshot(join(ROOT, "docs/api.md"));
  });

  it("docs/api.md has the routes of every file", () => {
    const modules = SOURCES.filter((path) => /-routes\.ts$/.test(path)).map((path) => path.split("/").at(-1)!);
    const list = read("src/daemon/http/routes.ts");
    expect(modules.filter((name) => !list.includes(`/${name}"`))).toEqual([]);
  });

  it("docs/library.md", async () => {
    await expect(libraryPage(join(ROOT, "src/index.ts"))).toMatchFileSnapshot(join(ROOT, "docs/library.md"));
  });
});

describe("a document", () => {
  it("is short where a newcomer begins", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
    expect(Buffer.byteLength(read("docs/architecture.md"))).toBeLessThanOrEqual(8 * 1024);
  });

  it.each(DOCUMENTS)("%s has only valid links", (path) => {
    const folder = join(ROOT, path, "..");
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
    expect(links.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
  });

  it.each(DOCUMENTS)("%s names only files and functions that exist", (path) => {
    const folder = join(ROOT, path, "..");
    const names = [...read(path).matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);
    const files = names.filter((name) => /^[\w./-]+\/[\w.-]+\.(?:ts|tsx|mjs)$|^[\w.-]+\.tsx?$/.test(name));
    const isThere = (name: string): boolean =>
      existsSync(join(folder, name)) || FILES.some((file) => file === name || file.endsWith(`/${name}`));
    expect(files.filter((name) => !isThere(name))).toEqual([]);
    // Adapter pages name fields of foreign formats, and the page about the terminal interface names keys.
    if (/^src\/agents\/\w+\/|tui\.md$/.test(path)) return;
    const symbols = names.filter((name) => /^(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)(?:\(\))?$/.test(name));
    expect(symbols.filter((name) => !ALL_SOURCES.includes(name.replace("()", "")))).toEqual([]);
  });

  it("names every variable that a user can set or see", () => {
    const named = read("docs/configuration.md");
    const used = new Set(
      SOURCES.map(read)
        .join("\n")
        .match(/(?<=["'.])(?:AMUX|GMUX|AGENT_MUX)_[A-Z_]*[A-Z](?=\W)/g),
    );
    expect([...used].filter((name) => !INTERNAL.has(name) && !named.includes(name))).toEqual([]);
  });
});

const TEST_SUPPORT = FILES.filter((path) => /^test\/.*support\/.*\.ts$/.test(path));
const ALL_SOURCES = [...SOURCES, ...TEST_SUPPORT].map((path) => read(path)).join("\n");

/** Only passed between amux's own processes. */
const INTERNAL = new Set([
  "AMUX_ASK_NODE",
  "AMUX_ASK_PRINT",
  "AMUX_CHILD",
  "AMUX_HOOK_PROGRAM",
  "AMUX_FOLLOWED",
  "AMUX_READY_FD",
  "AMUX_RUN_IN_SESSION",
  "AMUX_VERSION",
]);

describe("an example of the README", () => {
  const blocks = [...read("README.md").matchAll(/^```(?:sh|console)\n(.*?)^```/gms)]
    .map(([, block]) => block)
    .join("\n");
  const lines = [...blocks.matchAll(/^(?:\$ )?amux (\w.*)$/gm)].map(([, line]) => line!.replace(/ +# .*$| > .*$/, ""));

  it.each(lines)("is a valid command line: amux %s", async (line) => {
    const words = wordsOf(line);
    const { entry, words: used } = findCommand(words)!;
    const command = (await entry.load()).default;
    expect(() => parseInvocation(command, words.slice(used), new Output(false))).not.toThrow();
  });

  const reading = lines.filter((line) => /^(?:sessions (?!resume|fork)|search|show|export|cost)/.test(line));
  it.each(reading)("runs: amux %s", async (line) => {
    const { code, stdout } = await warmCli(wordsOf(line), { home: HOME });
    expect([code, stdout !== ""]).toEqual([0, true]);
  });
});

/** Splits like a shell; the README uses both kinds of quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain!,
  );
}
