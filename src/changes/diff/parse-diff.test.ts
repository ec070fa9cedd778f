import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitRepository } from "../../../test/support/git-repository.ts";
import { parseNumstat, parsePatches, parseRaw } from "./parse-diff.ts";

const DETAILS = ["diff", "-M", "--raw", "-z", "--no-abbrev", "HEAD"];

it("counts alone have the order of the files, renamed and binary ones included", () => {
  const made = gitRepository();
  const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
  made.write("b.bin", new Uint8Array([0, 1]));
  made.commit("first", { "a.txt": "one\n", "c.txt": `${long}\n` });
  made.write("a.txt", "one\ntwo\n");
  made.write("b.bin", new Uint8Array([0, 2]));
  renameSync(join(made.path, "c.txt"), join(made.path, "d.txt"));
  made.write("d.txt", `${long}\nlast\n`);
  made.git("add", "--all");
  const { entries, rest } = parseRaw(made.git(...DETAILS, "--numstat"));
  expect(entries.map(({ path, state }) => [path, state])).toEqual([
    ["a.txt", "modified"],
    ["b.bin", "modified"],
    ["d.txt", "renamed"],
  ]);
  expect(parseNumstat(rest)).toEqual([
    { added: 1, removed: 0, isBinary: false },
    { added: 0, removed: 0, isBinary: true },
    { added: 1, removed: 0, isBinary: false },
  ]);
});

it("lines that look like a header of git are lines of their file", () => {
  const made = gitRepository();
  made.commit("first", { "a.sql": "-- a comment\nkept\n", "z.txt": "z\n" });
  made.write("a.sql", "kept\n++ b/other\r\ndiff --git a/x b/x\n@@ -1 +1 @@\n");
  made.write("z.txt", "changed\n");
  const { entries, rest } = parseRaw(made.git(...DETAILS, "-p"));
  const files = parsePatches(entries, rest);
  expect(files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ["a.sql", 3, 1],
    ["z.txt", 1, 1],
  ]);
  expect(files[0]!.hunks![0]!.lines.map(({ text }) => text)).toEqual([
    "-- a comment",
    "kept",
    "++ b/other\r",
    "diff --git a/x b/x",
    "@@ -1 +1 @@",
  ]);
});

it("the end of a file without a line break is no line", () => {
  const made = gitRepository();
  made.commit("first", { "a.txt": "one" });
  made.write("a.txt", "two");
  const { entries, rest } = parseRaw(made.git(...DETAILS, "-p"));
  expect(parsePatches(entries, rest)[0]!.hunks![0]!.lines).toEqual([
    { kind: "removed", text: "one", oldLine: 1 },
    { kind: "added", text: "two", newLine: 1 },
  ]);
});

it("a list of files that does not fit its patches is refused", () => {
  expect(() => parsePatches([{ path: "a", state: "modified", oldBlob: "", newBlob: "" }], "")).toThrow("Try again");
});
