import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadable } from "../../scripts/loadable.mjs";
import { tempHome } from "../../test/support/temp-home.ts";
import { requireCompiled } from "./compiled-bundle.ts";

describe("a bundle", () => {
  const SOURCE = loadable(`
    const { basename } = require("node:path");
    exports.name = basename(__filename);
    exports.double = (number) => 2 * number;
  `);

  it("is run like any CommonJS file", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    const { name, double } = requireCompiled<{ name: string; double: (number: number) => number }>(path);
    expect(name).toBe("bundle.cjs");
    expect(double(21)).toBe(42);
  });

  it("finds packages that lie beside it, and says which are missing", () => {
    const home = tempHome();
    home.write("node_modules/thing/index.js", "module.exports = 'a thing';");
    const path = home.write("bundle.cjs", loadable("exports.load = (name) => require(name);"));
    const { load } = requireCompiled<{ load: (name: string) => unknown }>(path);
    expect(load("thing")).toBe("a thing");
    expect(load("node:path")).toBe(process.getBuiltinModule("node:path"));
    expect(() => load("nothing")).toThrow(expect.objectContaining({ code: "MODULE_NOT_FOUND" }));
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

  it("learns from runs of each kind, however many there were of another", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    const compiled = `${path}.${process.version}-${process.arch}.compiled`;
    // Short at first, and then longer than this process has been running.
    const [never, always] = [0, Number.MAX_SAFE_INTEGER];
    const runOf = (ms: number): void => void requireCompiled(path, (keep) => keep(), { runs: 2, kindsMs: [ms] });
    for (let run = 0; run < 5; run++) runOf(always);
    expect([...readFileSync(compiled).subarray(0, 3)]).toEqual([2, 0, 0]);
    for (let run = 0; run < 5; run++) runOf(never);
    expect([...readFileSync(compiled).subarray(0, 3)]).toEqual([2, 2, 0]);
  });

  it("whose compiled code is damaged is compiled anew", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    writeFileSync(`${path}.${process.version}-${process.arch}.compiled`, "nothing that V8 wrote");
    expect(requireCompiled<{ double: (number: number) => number }>(path).double(4)).toBe(8);
  });

  it("has its code compiled anew when a single bit of it is another, or its end is missing", () => {
    const path = tempHome().write("bundle.cjs", SOURCE);
    const compiled = `${path}.${process.version}-${process.arch}.compiled`;
    const run = (): number => requireCompiled<{ double: (number: number) => number }>(path, (keep) => keep()).double(4);
    run();
    const kept = readFileSync(compiled);
    const damaged = [
      kept.subarray(0, -1),
      kept.subarray(0, kept.length / 2),
      Buffer.alloc(kept.length),
      kept.subarray(0, 8),
    ];
    for (let at = 1; at < kept.length; at += 97) {
      const one = Buffer.from(kept);
      one[at]! ^= 1 << (at % 8);
      damaged.push(one);
    }
    for (const bytes of damaged) {
      writeFileSync(compiled, bytes);
      expect(run()).toBe(8);
      const now = readFileSync(compiled);
      const half = now.length / 2;
      expect(now[0]! + now[1]!).toBe(1);
      expect(now.subarray(0, half).equals(now.subarray(half))).toBe(true);
    }
  });
});
