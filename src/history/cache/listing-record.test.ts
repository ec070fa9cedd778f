import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import {
  SETTLING_MS,
  fileStat,
  filesBelow,
  noteOpened,
  recordingReads,
  type FilesSeen,
} from "../../lib/fs/directory.ts";
import { changedSince, recordOf, type ListingRecord } from "./listing-record.ts";
import { DEADLINE_MS } from "../../../test/support/deadline.ts";

const OLD = new Date("2026-03-01T00:00:00Z");
const OWNER = 7;

describe("the record of a listing", () => {
  let root: string;
  let record: ListingRecord;
  const at = (...parts: string[]): string => join(root, ...parts);

  function look(): FilesSeen {
    return recordingReads(() => {
      const files = [...filesBelow(root, (name) => name.endsWith(".jsonl"))];
      fileStat(at("names.json"));
      fileStat(at("absent/title.json"));
      noteOpened(at("names.json"));
      return files;
    }).seen;
  }

  /** What is seen when no file was changed a moment ago. */
  function settled(): FilesSeen {
    const seen = look();
    const newest = Math.max(
      ...["a/1.jsonl", "b/1.jsonl", "names.json", "a", "b", "."].map((path) => statSync(at(path)).ctimeMs),
    );
    expect(newest).toBeLessThan(seen.startedMs - SETTLING_MS);
    return seen;
  }

  /** The owner of files in `a`; others have none. */
  const ownerOf = (path: string): number => (path.startsWith(at("a/")) ? OWNER : 0);

  beforeEach(async () => {
    root = tempHome().path;
    for (const directory of ["a", "b"]) {
      mkdirSync(at(directory));
      writeFileSync(at(directory, "1.jsonl"), "{}\n");
    }
    writeFileSync(at("names.json"), "{}");
    for (const path of ["a/1.jsonl", "b/1.jsonl", "names.json", "a", "b", "."]) utimesSync(at(path), OLD, OLD);
    const seen = await vi.waitFor(settled, { timeout: DEADLINE_MS });
    record = recordOf(seen, ownerOf)!;
  });

  it("is the same when nothing changed", async () => {
    expect(await changedSince(record)).toEqual(new Set());
    expect(await changedSince(recordOf(look(), ownerOf)!)).toEqual(new Set());
  });

  it("names the session whose file changed", async () => {
    appendFileSync(at("a/1.jsonl"), "{}\n");
    expect(await changedSince(record)).toEqual(new Set([OWNER]));
  });

  it("compares names in any letters", async () => {
    for (const name of ["ü.jsonl", "検索.jsonl"]) {
      writeFileSync(at("a", name), "{}\n");
      utimesSync(at("a", name), OLD, OLD);
    }
    utimesSync(at("a"), OLD, OLD);
    record = recordOf(await vi.waitFor(settled, { timeout: DEADLINE_MS }), ownerOf)!;
    expect(await changedSince(record)).toEqual(new Set());
    writeFileSync(at("a", "検索.jsonl"), "{}\n{}\n");
    expect(await changedSince(record)).toEqual(new Set([OWNER]));
  });

  it("is the same when only irrelevant files changed", async () => {
    linkSync(at("a/1.jsonl"), at("../linked-" + basename(root)));
    rmSync(at("../linked-" + basename(root)));
    chmodSync(at("b"), 0o700);
    expect(await changedSince(record)).toEqual(new Set());
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
    [
      "a file was written to and its time set back",
      () => {
        writeFileSync(at("b/1.jsonl"), "[1]\n");
        utimesSync(at("b/1.jsonl"), OLD, OLD);
      },
    ],
    [
      "a whole directory was replaced by another",
      () => {
        mkdirSync(at("new"));
        writeFileSync(at("new/1.jsonl"), "[]\n");
        rmSync(at("b"), { recursive: true });
        renameSync(at("new"), at("b"));
        for (const path of ["b/1.jsonl", "b", "."]) utimesSync(at(path), OLD, OLD);
      },
    ],
    [
      "a file in a directory that was not listed came",
      () => {
        mkdirSync(at("absent"));
        writeFileSync(at("absent/title.json"), "{}");
        for (const path of ["absent", "."]) utimesSync(at(path), OLD, OLD);
      },
    ],
  ])("does not hold when %s", async (_, change) => {
    change();
    // A new file with the same name has another inode.
    expect((await changedSince(record)) ?? "list again").not.toEqual(new Set());
  });

  it("is not trusted when a directory was changed a moment ago", () => {
    const changedMs = Date.now() - 10;
    utimesSync(at("a"), changedMs / 1000, changedMs / 1000);
    const seen = look();
    expect(recordOf({ ...seen, startedMs: changedMs }, ownerOf)).toBeUndefined();
    expect(recordOf({ ...seen, startedMs: changedMs + 1000 }, ownerOf)).toBeDefined();
  });

  it("is unsure of what cannot be examined", () => {
    symlinkSync("loop.jsonl", at("a/loop.jsonl"));
    expect(look().isUnsure).toBe(true);
  });
});
