import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { entriesOf, filesBelow, fileStat } from "./directory.ts";
import { needsLinux } from "../../../test/support/needs.ts";

/** A path whose last part ends with a byte that is not UTF-8. */
function odd(directory: string, name: string, byte: number, rest = ""): Buffer {
  return Buffer.concat([Buffer.from(join(directory, name)), Buffer.from([byte]), Buffer.from(rest)]);
}

it("files with names that are not UTF-8 are reported by their bytes", needsLinux, () => {
  const home = tempHome().path;
  for (const name of ["plain.jsonl", "of its own \uFFFD.jsonl"]) writeFileSync(join(home, name), "");
  writeFileSync(odd(home, "a", 0xff, ".jsonl"), "");
  writeFileSync(odd(home, "a", 0xfe, ".jsonl"), "");
  writeFileSync(odd(home, "no session", 0xff, ".txt"), "");
  symlinkSync("plain.jsonl", odd(home, "link", 0xff, ".jsonl"));
  mkdirSync(odd(home, "directory", 0xe9));
  const told = new Map<string, string>();
  const found = filesBelow(
    home,
    (name) => name.endsWith(".jsonl"),
    (path, reason) => told.set(path, reason),
  );
  expect(found.map(({ path }) => path).sort()).toEqual(
    ["of its own \uFFFD.jsonl", "plain.jsonl"].map((name) => join(home, name)),
  );
  const names = ["a\\xfe.jsonl", "a\\xff.jsonl", "directory\\xe9", "link\\xff.jsonl"].map((name) => join(home, name));
  expect([...told.keys()].sort()).toEqual(names);
  expect([...new Set(told.values())]).toEqual(["has a name that is not UTF-8"]);
  const reasons: string[] = [];
  for (const { name } of entriesOf(home)) fileStat(join(home, name), (path) => reasons.push(path));
  expect(reasons).toContain(join(home, "a\\xff.jsonl"));
});
