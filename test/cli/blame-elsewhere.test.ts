/** `amux blame` with sessions of another machine, and for a pull request. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AgentMachine } from "../daemon/support/agent-machine.ts";
import { link, untilPeer } from "../daemon/support/linked.ts";
import { blamed, cloneOf, madeDay } from "../support/blame-day.ts";
import { warmCli } from "../support/warm-cli.ts";

const FILE = "src/claude-made.js";

it("names the session of another machine, and says when that machine does not answer", async () => {
  const day = madeDay();
  const [hub, spoke] = [new AgentMachine(), new AgentMachine()];
  cpSync(day.home, spoke.userHome, { recursive: true });
  await Promise.all([hub.start(), spoke.start()]);
  await link(hub, "box", spoke);
  const options = { home: hub.userHome, vars: { AMUX_HOME: hub.home }, cwd: cloneOf(day) };
  const [claude] = day.sessions;
  expect((await blamed([FILE], options)).sessions).toEqual([]);
  const found = await blamed([FILE, "--peers"], options);
  const own = await blamed([FILE], { home: day.home, cwd: day.repo });
  expect(found.lines).toEqual(own.lines);
  expect(found.ranges[0]).toMatchObject({
    evidence: "proved by this edit",
    prompt: "Task 0001: improve the shop.",
    origin: { sessionId: claude!.id, machine: "box" },
  });
  expect(found.sessions).toEqual(own.sessions.map((session) => ({ ...session, machine: "box" })));
  await spoke.kill("SIGKILL");
  await untilPeer(hub, "box", ({ state }) => state !== "connected");
  const alone = await warmCli(["blame", FILE, "--peers"], options);
  expect(alone).toMatchObject({ code: 16, stdout: expect.stringContaining("Without box") as string });
});

it("names the sessions behind a pull request that gh knows", async () => {
  const day = madeDay();
  const [base, head] = ["main~9", "squashed"].map((name) => day.git("rev-parse", name).trim());
  const bin = join(day.home, "bin");
  const log = join(day.home, "gh.log");
  mkdirSync(bin);
  const gh = (answer: string): void =>
    writeFileSync(join(bin, "gh"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${log}\n${answer}\n`, { mode: 0o755 });
  const vars = { PATH: `${bin}:${process.env["PATH"]}` };
  const options = { home: day.home, cwd: day.repo, vars };
  gh(`echo '${JSON.stringify({ baseRefOid: base, headRefOid: head })}'`);
  const found = await blamed(["--pr", "12"], options);
  expect(readFileSync(log, "utf8").split("\n")).toEqual(
    expect.arrayContaining(["pr", "view", "12", "baseRefOid,headRefOid"]),
  );
  expect(found.target).toMatchObject({ kind: "pull-request", number: 12, head });
  const third = day.sessions[4]!;
  expect(found.sessions.find(({ sessionId }) => sessionId === third.id)?.proved).toBeGreaterThan(3);
  const said = async (): Promise<string> => (await warmCli(["blame", "--pr", "12"], options)).stderr;
  gh(`echo '${JSON.stringify({ baseRefOid: base, headRefOid: "a".repeat(40) })}'`);
  expect(await said()).toContain("Run git fetch origin pull/12/head first");
  gh("echo Not found; exit 1");
  expect(await said()).toContain("gh did not tell about pull request 12");
});
