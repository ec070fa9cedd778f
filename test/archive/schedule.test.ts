/** Pushes by the daemon, together with pushes by hand. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../src/index.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { madeAgent } from "../support/made-agent.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { contentsOf, dumpOf, envOf, makeArchive, pushFrom, recordedHome } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

describe("a secret of the environment", () => {
  it("is redacted by the next manual push, and not put back by the daemon's", async () => {
    const archive = await makeArchive(postgres);
    const home = tempHome().path;
    const sessions = [{ id: "a", messages: [{ role: "user" as const, content: "it is hortus siccus" }] }];
    const send = async (vars: Record<string, string>, isScheduled: boolean) => {
      const env = envOf(home, vars);
      const client = createClient({ env });
      client.adapters.register(madeAgent("made", sessions));
      return pushFrom(archive, "alice", env, { client, isScheduled });
    };
    const hand = { SHOP_TOKEN: "hortus siccus", OTHER_TOKEN: "something else" };
    await send({ OLD_TOKEN: "an older one" }, true);
    expect(await dumpOf(postgres, archive)).toContain("hortus");
    expect(await send(hand, false)).toMatchObject({ changed: 1, redactions: 1 });
    expect(await send({ OLD_TOKEN: "an older one" }, true)).toMatchObject({ unchanged: 1 });
    expect(await send({ SHOP_TOKEN: "hortus siccus" }, false)).toMatchObject({ unchanged: 1, redactions: 0 });
    expect(await dumpOf(postgres, archive)).not.toContain("hortus");
  });
});

describe("a schedule", () => {
  it("makes the daemon push; the outcome is in the log and in both statuses", async () => {
    const archive = await makeArchive(postgres);
    const machine = new TestDaemon();
    const home = recordedHome(machine.userHome, ["claude"]);
    const options = { home, vars: machine.vars };
    const needsAddress = await warmCli(["archive", "push", "--every", "1h"], options);
    expect([needsAddress.code, needsAddress.stderr]).toEqual([7, expect.stringContaining("No archive configured")]);
    await warmCli(["archive", "use", archive.address("alice")], options);
    expect((await warmCli(["archive", "push", "--every", "5s"], options)).code).toBe(2);
    for (const wrong of ["--since=soon", "--agent=nobody", "--share=no team"]) {
      expect((await warmCli(["archive", "push", "--every", "1h", wrong], options)).code, wrong).toBeGreaterThan(1);
    }
    expect(existsSync(join(machine.home, "archive-schedule.json"))).toBe(false);
    const scheduled = await warmCli(["archive", "push", "--every", "1h", "--share", "red"], options);
    expect(scheduled.stdout).toContain("every 1h from now on");
    await machine.start();
    interface Status {
      schedule: { everyMs: number; options: string[]; last: { ok: boolean; said: string } | null } | null;
    }
    const status = async () => (await warmJson<Status>(["archive", "status"], options)).schedule;
    await waitFor("the push", async () => (await status())?.last !== null);
    expect(await status()).toMatchObject({ everyMs: 3_600_000, options: ["--share=red"], last: { ok: true } });
    expect((await warmCli(["daemon", "status"], options)).stdout).toMatch(
      /every 1h; last (?:just now|\d+m ago): \d+ sessions? sent/,
    );
    expect((await contentsOf(postgres, archive))["sessions"]!.length).toBeGreaterThan(0);
    expect(readFileSync(machine.files.log, "utf8")).toContain('"what":"archive push","ok":true');

    await postgres.sql("REVOKE CONNECT ON DATABASE " + archive.database + " FROM PUBLIC, alice");
    await machine.kill("SIGTERM");
    await warmCli(["archive", "push", "--every", "2h"], options);
    await machine.start();
    const daemon = async () => (await warmCli(["daemon", "status"], options)).stdout;
    await waitFor("the failure", async () => /every 2h; last (?:just now|\d+m ago), FAILED: /.test(await daemon()));
    expect(readFileSync(machine.files.log, "utf8")).toContain('"what":"archive push","ok":false');
    await warmCli(["archive", "push", "--every", "off"], options);
    expect(await daemon()).not.toContain("every");
  });
});
