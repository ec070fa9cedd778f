import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempHome } from "./support/temp-home.ts";

const RUN = `import { runTests } from ${JSON.stringify(join(import.meta.dirname, "../scripts/run-tests.mjs"))};
const [, output, repeats, ...args] = process.argv;
process.exit((await runTests(args, { output, repeats: repeats === "repeats" })) ? 0 : 1);`;

/** What a run of this test file prints. */
async function printed(tests: string, repeats = ""): Promise<{ text: string; code: number }> {
  const home = tempHome();
  home.write("vitest.config.mjs", "export default { test: { globals: true } };");
  home.write("made.test.js", tests);
  const env = { ...process.env, AMUX_SLOWEST: "0" };
  const argv = ["--input-type=module", "-e", RUN, join(home.path, "output.log"), repeats, "--root", home.path];
  return promisify(execFile)(process.execPath, argv, { env, cwd: home.path }).then(
    ({ stdout, stderr }) => ({ text: stdout + stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => ({
      text: error.stdout + error.stderr,
      code: error.code,
    }),
  );
}

const MIXED = `
describe("outer", () => {
  it("wants (1)'s sum", () => { console.log("noise of it"); expect(1).toBe(2); });
  it("is good", () => { process.getBuiltinModule("node:fs").writeSync(1, "leaked to the standard output"); });
});
it("cannot be here", { skip: true, meta: { skippedFor: "needs a moon" } }, () => {});
describe("far away", { skip: true, meta: { skippedFor: "needs a moon" } }, () => { it("too", () => {}); });
`;

it("a failure is printed at once by name and last with its command; skipped tests are reported", async () => {
  const { text, code } = await printed(MIXED);
  expect(code).toBe(1);
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toBe("failed: made.test.js > outer > wants (1)'s sum");
  expect(text).toContain("expected 1 to be 2");
  expect(text).toContain("noise of it");
  expect(text).toContain(`  again: npm test -- made.test.js -t 'outer wants \\(1\\)'\\''s sum'`);
  expect(text).toContain("skipped 2: needs a moon");
  expect(lines.at(-1)).toMatch(/^1 passed, 1 failed, 2 skipped in \d+ s$/);
  expect(text).not.toContain("leaked");
});

/** Fails until it is repeated. */
const UNSTEADY = `
import { existsSync, writeFileSync } from "node:fs";
it("comes late", () => {
  const wasHere = existsSync("here");
  writeFileSync("here", "");
  expect(wasHere).toBe(true);
});
it("is good", () => {});
`;

it("a whole run repeats a failed test alone, and reports both results", async () => {
  const { text, code } = await printed(UNSTEADY, "repeats");
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toBe("failed: made.test.js > comes late");
  expect(text).toContain("expected false to be true");
  expect(text).toMatch(/^1 passed, 1 failed, 0 skipped in/m);
  expect(lines.at(-2)).toContain("*** failed, then passed alone: made.test.js > comes late.");
  expect(lines.at(-1)).toMatch(/^2 passed, 0 failed, 0 skipped in \d+ s$/);
  expect(code).toBe(0);
});

it("a test that fails again is a failure, and nothing is repeated unless asked", async () => {
  const again = await printed(MIXED, "repeats");
  expect(again.text.trimEnd().split("\n").at(-1)).toMatch(/^1 passed, 1 failed, 2 skipped in \d+ s$/);
  expect(again.text).not.toContain("***");
  expect(again.code).toBe(1);
  const once = await printed(UNSTEADY);
  expect(once.text.trimEnd().split("\n").at(-1)).toMatch(/^1 passed, 1 failed, 0 skipped in \d+ s$/);
  expect(once.code).toBe(1);
});
