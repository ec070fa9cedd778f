import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempHome } from "./support/temp-home.ts";

const RUN = `import { runTests } from ${JSON.stringify(join(import.meta.dirname, "../scripts/run-tests.mjs"))};
process.exit((await runTests(process.argv.slice(2), { output: process.argv[1] })) ? 0 : 1);`;

/** What a run of this test file prints. */
async function printed(tests: string): Promise<{ text: string; code: number }> {
  const home = tempHome();
  home.write("vitest.config.mjs", "export default { test: { globals: true } };");
  home.write("made.test.js", tests);
  const env = { ...process.env, AMUX_SLOWEST: "0" };
  const argv = ["--input-type=module", "-e", RUN, join(home.path, "output.log"), "--root", home.path];
  return promisify(execFile)(process.execPath, argv, { env }).then(
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
