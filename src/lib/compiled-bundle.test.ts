import { existsSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { requireCompiled } from "./compiled-bundle.ts";

describe("a bundle", () => {
  const SOURCE = `
    const { basename } = require("node:path");
    exports.name = basename(__filename);
    exports.double = (number) => 2 * number;
  `;

  it("is run like any CommonJS file", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    const { name, double } = requireCompiled<{ name: string; double: (number: number) => number }>(path);
    expect(name).toBe("bundle.cjs");
    expect(double(21)).toBe(42);
  });

  it("has compiled code of its own for each use, of as many runs as asked for", () => {
    const home = tempHome();
    const path = home.write("bundle.cjs", SOURCE);
    const code = (use: string): string => `${path}.${use}.${process.version}-${process.arch}.compiled`;
    const run = (use: string): void => void requireCompiled(path, (keep) => keep(), { runs: 1, use });
    run("search");
    const first = statSync(code("search"));
    run("search");
    run("show");
    expect(statSync(code("search")).mtimeMs).toBe(first.mtimeMs);
    expect(existsSync(code("show"))).toBe(true);
  });

  it("whose compiled code is damaged is compiled anew", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    writeFileSync(`${path}.${process.version}-${process.arch}.compiled`, "nothing that V8 wrote");
    expect(requireCompiled<{ double: (number: number) => number }>(path).double(4)).toBe(8);
  });
});
