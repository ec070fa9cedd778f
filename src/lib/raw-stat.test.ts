import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { rawCompare, rawLook } from "./raw-stat.ts";

describe("a look without Node's wrappings", () => {
  it("tells the same as Node, of files, directories, links and what is not there", () => {
    const look = rawLook()!;
    const root = tempHome().path;
    const [file, directory, link] = ["file ü.jsonl", "directory", "link"].map((name) => join(root, name));
    writeFileSync(file!, "text");
    mkdirSync(directory!);
    symlinkSync(file!, link!);
    utimesSync(file!, 1_700_000_000.123456, 1_700_000_000.654321);
    for (const path of [file!, directory!, link!]) {
      const { ino, size, mtimeMs } = statSync(path);
      expect({ ...look(path) }).toEqual({ ino, size, mtimeMs });
    }
    expect(look(join(root, "nothing"))).toBeUndefined();
    expect(look(join(file!, "below"))).toBeUndefined();
  });

  it("compares what is there with what was", () => {
    const compare = rawCompare()!;
    const root = tempHome().path;
    const file = join(root, "file.jsonl");
    writeFileSync(file, "text");
    const { ino, size, mtimeMs } = statSync(file);
    const told = (stamps: readonly number[], hasSize = true, path = file): number =>
      compare(path, Float64Array.from([0, ...stamps]), 1, hasSize);
    expect(told([ino, size, mtimeMs])).toBe(0);
    expect(told([ino, size + 1, mtimeMs], false)).toBe(0);
    for (const other of [
      [ino + 1, size, mtimeMs],
      [ino, size + 1, mtimeMs],
      [ino, size, mtimeMs + 1],
      [-1, -1, -1],
    ])
      expect(told(other)).toBe(1);
    expect(told([ino, size, mtimeMs], true, join(root, "nothing"))).toBe(-1);
    expect(told([-1, -1, -1], true, join(root, "nothing"))).toBe(0);
    expect(told([-1, -1, -1], true, join(file, "below"))).toBe(0);
  });

  it("is not used where it says something else, or is not there", () => {
    const nothing = (): undefined => undefined;
    const other = (): Float64Array => new Float64Array(36);
    const failing = (): never => {
      throw new Error("changed");
    };
    expect([() => undefined, () => nothing, () => other, () => failing].map((binding) => rawLook(binding))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
