import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { completePath } from "./complete-path.ts";

const home = mkdtempSync(join(tmpdir(), "amux-path-"));
for (const name of ["dev/shop-api", "dev/shop-web", "dev/.hidden", "docs"])
  mkdirSync(join(home, name), { recursive: true });
writeFileSync(join(home, "dev/shop.txt"), "");
afterAll(() => rmSync(home, { recursive: true }));
const env = { home, platform: process.platform, vars: {} };

it.each([
  ["~/de", "~/dev/", []],
  ["~/dev/", "~/dev/shop-", ["shop-api", "shop-web"]],
  ["~/dev/s", "~/dev/shop-", ["shop-api", "shop-web"]],
  ["~/dev/shop-a", "~/dev/shop-api/", []],
  ["~/dev/.h", "~/dev/.hidden/", []],
  ["~/nothing/x", "~/nothing/x", []],
])("%s is completed to %s", async (typed, text, choices) => {
  expect(await completePath(env, typed)).toEqual({ text, choices });
});

it("a whole path is completed too", async () => {
  expect((await completePath(env, join(home, "do"))).text).toBe(`${join(home, "docs")}/`);
});
