/** What V8 compiled of a runner is for the runners after it: they take it, and do not write it again. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildRunner } from "../../scripts/build-runner.mjs";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { ShimClient } from "../../src/client/shim-client.ts";
import { rehearsalFiles } from "../../src/protocol/session-files.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

/** One of a short session and one of a long one. */
const KEPT_RUNS = 2;

test("it is written by a short and by a long session at most, also when V8 was told other things meanwhile", async () => {
  // Beside the packages that it loads.
  const directory = mkdtempSync(join(import.meta.dirname, "../../node_modules/.cache/amux/compiled-"));
  onTestFinished(() => removeTree(directory));
  const runner = await buildRunner(join(directory, "runner.cjs"));
  const home = new TestHome();
  const client = new ShimClient({ home: home.home, runner });

  const run = async (isTypedInto: boolean): Promise<void> => {
    const id = await client.spawn({ command: ["cat"], cwd: home.home });
    if (isTypedInto) {
      const connection = await client.connect(id);
      connection.input("pty-1", Buffer.from("typed\r"));
      await waitFor("the rehearsal", () => existsSync(rehearsalFiles(client.files(id)).record));
    }
    await client.kill(id);
    await home.waitForEnd(id);
  };
  const written = new Set<string>();
  for (const isTypedInto of [true, false, true, false, true]) {
    await run(isTypedInto);
    const name = await waitFor("compiled code", () => readdirSync(directory).find((one) => one.endsWith(".compiled")));
    const { ino, mtimeNs } = statSync(join(directory, name), { bigint: true });
    written.add(`${ino} ${mtimeNs}`);
    const [short = 0, long = 0] = readFileSync(join(directory, name));
    expect(written.size).toBe(short + long);
  }
  expect(written.size).toBeLessThanOrEqual(KEPT_RUNS);
});
