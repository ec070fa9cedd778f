import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundleToFile } from "../../../scripts/bundle.mjs";
import { tempHome } from "../../../test/support/temp-home.ts";

const SQLITE = createRequire(import.meta.url).resolve("@photostructure/sqlite");

/** Reads from SQLite constantly until it is ended. */
const THREAD = `
  import { parentPort } from "node:worker_threads";
  import { createRequire } from "node:module";
  import { exitOnRequest } from "./end-thread.mjs";
  exitOnRequest(parentPort);
  const { DatabaseSync } = createRequire(import.meta.url)(${JSON.stringify(SQLITE)});
  const database = new DatabaseSync(":memory:");
  const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i, 'text' || i as t from n";
  parentPort.postMessage("reading");
  (function read() {
    database.prepare(numbers).all();
    setImmediate(read);
  })();`;

const PARENT = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  import { endThread } from "./end-thread.mjs";
  for (let round = 0; round < 5; round++) {
    const worker = new Worker(new URL("thread.mjs", import.meta.url));
    await once(worker, "message");
    await endThread(worker);
    await endThread(worker);
  }
  console.log("alive");`;

it("ending a thread that reads from SQLite does not crash the process", async () => {
  const home = tempHome();
  await bundleToFile(join(import.meta.dirname, "end-thread.ts"), join(home.path, "end-thread.mjs"));
  home.write("thread.mjs", THREAD);
  const { stdout } = await promisify(execFile)(process.execPath, [home.write("parent.mjs", PARENT)]);
  expect(stdout).toBe("alive\n");
});
