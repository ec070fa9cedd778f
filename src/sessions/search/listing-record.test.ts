import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { fileStat, filesBelow, noteOpened, witnessed, type Sights } from "../../lib/directory.ts";
import { changedSince, recordOf, type ListingRecord } from "./listing-record.ts";

const OLD = new Date("2026-03-01T00:00:00Z");
const OWNER = 7;

describe("what a listing looked at", () => {
  let root: string;
  let record: ListingRecord;
  const at = (...parts: string[]): string => join(root, ...parts);

  function look(): Sights {
    return witnessed(() => {
      const files = [...filesBelow(root, (name) => name.endsWith(".jsonl"))];
      fileStat(at("names.json"));
      fileStat(at("absent/title.json"));
      noteOpened(at("names.json"));
      return files;
    }).seen;
  }

  /** Of files in `a`; others belong to nobody. */
  const ownerOf = (path: string): number => (path.startsWith(at("a/")) ? OWNER : 0);

  beforeEach(() => {
    root = tempHome().path;
    for (const directory of ["a", "b"]) {
      mkdirSync(at(directory));
      writeFileSync(at(directory, "1.jsonl"), "{}\n");
    }
    writeFileSync(at("names.json"), "{}");
    for (const path of ["a/1.jsonl", "b/1.jsonl", "names.json", "a", "b", "."]) utimesSync(at(path), OLD, OLD);
    record = recordOf(look(), ownerOf)!;
  });

  it("is the same when nothing was changed", () => {
    expect(changedSince(record)).toEqual(new Set());
    expect(changedSince(recordOf(look(), ownerOf)!)).toEqual(new Set());
  });

  it("names the session whose file has changed", () => {
    appendFileSync(at("a/1.jsonl"), "{}\n");
    expect(changedSince(record)).toEqual(new Set([OWNER]));
  });

  it.each<[string, () => void]>([
    ["a file that is nobody's has changed", () => appendFileSync(at("b/1.jsonl"), "{}\n")],
    ["a file that was read for it has changed", () => appendFileSync(at("names.json"), " ")],
    ["a file came", () => writeFileSync(at("a/2.jsonl"), "{}\n")],
    ["a file went", () => rmSync(at("a/1.jsonl"))],
    ["a file was moved", () => renameSync(at("a/1.jsonl"), at("b/2.jsonl"))],
    ["a directory came", () => mkdirSync(at("c"))],
    [
      "another file of the same size and time took its place",
      () => {
        writeFileSync(at("other"), "[]\n");
        utimesSync(at("other"), OLD, OLD);
        renameSync(at("other"), at("a/1.jsonl"));
      },
    ],
    [
      "something is where nothing was",
      () => {
        mkdirSync(at("absent"));
        writeFileSync(at("absent/title.json"), "{}");
        utimesSync(at("."), OLD, OLD);
      },
    ],
  ])("does not hold when %s", (_, change) => {
    change();
    // A new name in the same place has another number.
    expect(changedSince(record) ?? "list again").not.toEqual(new Set());
  });

  it("is not trusted when a directory was changed a moment ago", () => {
    const now = Date.now();
    utimesSync(at("a"), now / 1000, (now - 10) / 1000);
    expect(recordOf(look(), ownerOf, now)).toBeUndefined();
    expect(recordOf(look(), ownerOf, now + 1000)).toBeDefined();
  });

  it("is unsure of what cannot be looked at", () => {
    symlinkSync("loop.jsonl", at("a/loop.jsonl"));
    expect(look().isUnsure).toBe(true);
  });
});
