import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { completeLines } from "../../../test/support/complete-lines.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { BackgroundCommand } from "./background-command.ts";
import { Log } from "./log.ts";
import { ScheduledIndexing } from "./scheduled-indexing.ts";

const MINUTE = 60_000;

/** What the daemon runs each time. */
const ROUND = ["index build no token", "cost report --json no token"];

function daemon(then = "") {
  const home = tempHome();
  mkdirSync(join(home.path, ".agent-mux"));
  const starts = join(home.path, "starts");
  const said = `process.argv.slice(2).join(" ") + " " + (process.env.AMUX_TOKEN ?? "no token") + "\\n"`;
  const program = home.write(
    "program.cjs",
    `require("node:fs").appendFileSync(${JSON.stringify(starts)}, ${said});\n${then}`,
  );
  const env = {
    home: home.path,
    platform: "linux",
    vars: { AMUX_TOKEN: "secret", PATH: process.env["PATH"] },
  } as const;
  const log = join(home.path, "log");
  return {
    indexing: new ScheduledIndexing(new BackgroundCommand(env, new Log(log), program)),
    started: () => completeLines(starts),
    logged: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
  };
}

it("sessions are indexed after the daemon's start, then at most every quarter of an hour, only after changes", async () => {
  const { indexing, started } = daemon();
  const now = Date.now();
  await indexing.look(now);
  expect(started()).toEqual(ROUND);
  await indexing.look(now + 60 * MINUTE);
  expect(started(), "nothing changed").toEqual(ROUND);
  indexing.changed();
  await indexing.look(now + 14 * MINUTE);
  expect(started(), "too early").toEqual(ROUND);
  await indexing.look(now + 16 * MINUTE);
  expect(started()).toEqual([...ROUND, ...ROUND]);
});

it("a change while sessions are indexed is indexed the next time", async () => {
  const { indexing, started } = daemon();
  const now = Date.now();
  const first = indexing.look(now);
  indexing.changed();
  await indexing.look(now + 20 * MINUTE);
  await first;
  expect(started(), "one at a time").toEqual(ROUND);
  await indexing.look(now + 20 * MINUTE);
  expect(started()).toEqual([...ROUND, ...ROUND]);
});

it("a failure is logged, and does not repeat until something changes", async () => {
  const { indexing, started, logged } = daemon('console.error("no room"); process.exit(1);');
  const now = Date.now();
  await indexing.look(now);
  expect(logged()).toContain("indexing sessions");
  await indexing.look(now + 60 * MINUTE);
  expect(started()).toEqual(ROUND);
});

it("it ends with its daemon", async () => {
  const { indexing, started } = daemon("setInterval(() => undefined, 1000);");
  const looked = indexing.look();
  await waitFor("the command", () => started().length > 0);
  await indexing.close();
  await looked;
  indexing.changed();
  await indexing.look(Date.now() + 60 * MINUTE);
  expect(started()).toHaveLength(1);
});
