import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { rawLook } from "./raw-stat.ts";

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
