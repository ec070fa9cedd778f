import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { completeLines } from "../../../test/support/complete-lines.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { readPushOutcome, writePushSchedule } from "../../client/push-schedule.ts";
import { Log } from "./log.ts";
import { ScheduledPush } from "./scheduled-push.ts";

const HOUR = 3_600_000;

/** A home with a schedule, and a fake amux that records each start and then runs this. */
function scheduled(then: string) {
  const home = tempHome();
  const starts = join(home.path, "starts");
  const program = home.write(
    "program.cjs",
    `const fs = require("node:fs"); fs.appendFileSync(${JSON.stringify(starts)}, process.pid + "\\n");\n${then}`,
  );
  writePushSchedule(home.path, { everyMs: HOUR, options: ["--share=red"] });
  return {
    home: home.path,
    outcome: () => readPushOutcome(home.path),
    started: () => completeLines(starts).map(Number),
    daemon: () => new ScheduledPush(home.path, new Log(join(home.path, "log")), program),
  };
}

describe("a scheduled push", () => {
  it("ends with its daemon, and is not started again by the next one", async () => {
    const { daemon, started, outcome } = scheduled("setInterval(() => undefined, 1000);");
    const first = daemon();
    const looked = first.look();
    const [pid] = await waitFor("the push", () => (started().length > 0 ? started() : undefined));
    await first.close();
    await looked;
    expect(() => process.kill(pid!, 0)).toThrow("ESRCH");
    expect(outcome()).toMatchObject({ ok: false, said: expect.stringContaining("The daemon was stopped") });
    await daemon().look();
    expect(started()).toEqual([pid]);
  });

  it("is not started again by the next daemon when the last one was killed", async () => {
    const { daemon, started } = scheduled("setInterval(() => undefined, 1000);");
    const killed = daemon();
    const looked = killed.look();
    await waitFor("the push", () => started().length > 0);
    await daemon().look();
    expect(started()).toHaveLength(1);
    await killed.close();
    await looked;
  });

  it("is not repeated at every check when its outcome cannot be saved", async () => {
    const { home, daemon, started } = scheduled("");
    mkdirSync(join(home, "archive-pushed.json"));
    const pushes = daemon();
    await pushes.look();
    await pushes.look(Date.now() + HOUR / 2);
    expect(started()).toHaveLength(1);
    await pushes.look(Date.now() + HOUR + 1000);
    expect(started()).toHaveLength(2);
    expect(readFileSync(join(home, "log"), "utf8")).toContain("saving the outcome of a push");
  });

  it("that withheld sessions counts as done, and says so", async () => {
    const held = scheduled(`console.log("2 sessions sent, 1 held back."); console.error("x"); process.exitCode = 1;`);
    await held.daemon().look();
    expect(held.outcome()).toMatchObject({
      ok: true,
      said: "2 sessions sent, 1 held back. amux archive review says why.",
    });
    const failed = scheduled(`console.error("no such database"); process.exitCode = 1;`);
    await failed.daemon().look();
    expect(failed.outcome()).toMatchObject({ ok: false, said: "no such database" });
  });

  it("has the daemon's secrets to redact, but not its archive's address", async () => {
    vi.stubEnv("AMUX_ARCHIVE", "postgres://other");
    vi.stubEnv("AMUX_TOKEN", "a token");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { daemon, outcome } = scheduled(
      "const { AMUX_ARCHIVE, AMUX_TOKEN, AMUX_SCHEDULED } = process.env; console.log(AMUX_ARCHIVE, AMUX_TOKEN, AMUX_SCHEDULED);",
    );
    await daemon().look();
    expect(outcome()).toMatchObject({ ok: true, said: "undefined a token 1" });
  });

  it("does not count for a schedule whose options changed meanwhile", async () => {
    const { home, daemon, started, outcome } = scheduled(
      `const timer = setInterval(() => fs.existsSync("go") && clearInterval(timer), 5);`,
    );
    const looked = daemon().look();
    await waitFor("the push", () => started().length > 0);
    writePushSchedule(home, { everyMs: HOUR, options: [] });
    mkdirSync(join(home, "go"));
    await looked;
    expect(outcome()).toBeUndefined();
    await daemon().look();
    expect(started()).toHaveLength(2);
  });
});
