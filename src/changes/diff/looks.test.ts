import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { lastLook, recordLook } from "./looks.ts";

it("hunks shown earlier stay looked at when only new ones were shown", () => {
  const env = { home: tempHome().path, platform: process.platform, vars: {} };
  recordLook(env, "made:one", [{ path: "a.txt", hunks: ["1", "2"] }]);
  recordLook(env, "made:one", [{ path: "a.txt", hunks: ["3", "1"] }]);
  expect([...lastLook(env, "made:one")!.files]).toEqual([["a.txt", new Set(["2", "3", "1"])]]);
});

it("a record of looks stops growing; the oldest are forgotten", () => {
  const { path: home } = tempHome();
  const env = { home, platform: process.platform, vars: { AMUX_HOME: home } };
  const ids = (from: number): string[] => Array.from({ length: 8000 }, (_, at) => String(from + at).padStart(16, "0"));
  for (const [at, path] of ["a", "b", "c", "d"].entries()) recordLook(env, "one", [{ path, hunks: ids(at * 8000) }]);
  const files = lastLook(env, "one")!.files;
  expect([...files.keys()]).toEqual(["b", "c", "d"]);
  expect(files.get("b")?.size).toBe(4000);
  expect(files.get("b")?.has(ids(8000).at(-1)!)).toBe(true);
  const [name] = readdirSync(join(home, "looks"));
  expect(statSync(join(home, "looks", name!)).size).toBeLessThan(500_000);
});
