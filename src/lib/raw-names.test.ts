import fs, { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { DIRECTORY, documented, FILE, LINK, namesAndKinds } from "./raw-names.ts";

const original = fs.readdirSync;

afterEach(() => {
  fs.readdirSync = original;
  syncBuiltinESMExports();
});

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
  return undefined;
}

describe("names without an object for each", () => {
  it("are those that Node gives", () => {
    const directory = tempHome().path;
    writeFileSync(join(directory, "file ü.jsonl"), "");
    mkdirSync(join(directory, "below"));
    symlinkSync("nowhere", join(directory, "link"));
    const { names, kinds } = namesAndKinds(directory);
    expect(Object.fromEntries(names.map((name, index) => [name, kinds[index]]))).toEqual({
      below: DIRECTORY,
      "file ü.jsonl": FILE,
      link: LINK,
    });
    expect(documented(directory)).toEqual({ names, kinds });
  });

  it("fails as Node does", () => {
    const directory = tempHome().path;
    writeFileSync(join(directory, "file"), "");
    for (const name of ["nothing", "file"]) {
      const path = join(directory, name);
      expect(codeOf(() => namesAndKinds(path))).toBe(codeOf(() => documented(path)));
    }
  });

  it("asks what was put in the place of Node's function", () => {
    const directory = tempHome().path;
    namesAndKinds(directory);
    fs.readdirSync = (() => []) as never;
    syncBuiltinESMExports();
    writeFileSync(join(directory, "file"), "");
    expect(namesAndKinds(directory).names).toEqual([]);
  });
});
