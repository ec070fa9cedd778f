/** Notifications: real programs, a real webhook, the watching command and the daemon. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { completeLines } from "../support/complete-lines.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");

interface Told {
  event: string;
  id: string;
  title: string;
  body: string;
}

async function webhook(): Promise<{ url: string; told: Told[] }> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      told.push(JSON.parse(body) as Told);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`, told };
}

function script(home: TestHome, name: string): { command: string[]; lines: () => string[] } {
  const [program, log] = [join(home.home, name), join(home.home, `${name}.log`)];
  writeFileSync(program, `#!/bin/sh\nprintf '%s|%s|%s|%s\\n' "$AMUX_EVENT" "$AMUX_REASON" "$1" "$2" >> ${log}\n`);
  chmodSync(program, 0o755);
  return { command: [program, "{title}", "{body}"], lines: () => completeLines(log) };
}

async function say(home: TestHome, id: string, report: object): Promise<void> {
  await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
}

it("amux attention --watch notifies, and withdraws it when it was answered", async () => {
  const home = new TestHome();
  const { url, told } = await webhook();
  const [shown, gone, heard] = [script(home, "show"), script(home, "gone"), script(home, "sound")];
  const config = { graceSeconds: 0, notify: shown.command, withdraw: gone.command, sound: heard.command, webhook: url };
  writeFileSync(join(home.home, "attention.json"), JSON.stringify(config));
  const id = await home.spawn("exec cat", { name: "shop" });
  const watch = spawn(process.execPath, [AMUX, "attention", "--watch", "--notify", "--json"], {
    env: { PATH: process.env["PATH"], HOME: home.home, AMUX_HOME: home.home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void watch.kill("SIGKILL"));
  let output = "";
  watch.stdout.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  await waitFor("the first look", () => output.includes("[]"));
  await say(home, id, { state: "permission", ask: "a", message: "Bash: rm -rf $(x) `y`", session: "s" });
  await waitFor("the notice", () => shown.lines().length === 1 && heard.lines().length === 1 && told.length === 1);
  expect(shown.lines()).toEqual(["send|permission|shop needs your permission|Bash: rm -rf $(x) `y`"]);
  expect(told[0]).toMatchObject({ event: "send", title: "shop needs your permission", items: [{ ref: id }] });
  await say(home, id, { state: "working", ask: "a", session: "s" });
  await waitFor("the withdrawal", () => gone.lines().length === 1 && told.length === 2);
  expect(told[1]).toMatchObject({ event: "withdraw", id: told[0]!.id });
  expect([shown.lines().length, heard.lines().length]).toEqual([1, 1]);
});

it("a snoozed session is off the list until it asks again", async () => {
  const home = new TestHome();
  const options = { home: home.home, vars: { AMUX_HOME: home.home } };
  const id = await home.spawn("exec cat", { name: "shop" });
  const ago = new Date(Date.now() - 60_000).toISOString();
  await say(home, id, { state: "waiting", ask: "a", message: "Which one?", session: "s", at: ago });
  const refs = async (...more: string[]): Promise<string[]> =>
    (await warmJson<{ ref: string }[]>(["attention", ...more], options)).map(({ ref }) => ref);
  expect(await refs()).toEqual([id]);
  expect((await warmCli(["snooze", "shop", "soon"], options)).stderr).toMatch(
    /^amux: amux snooze takes a time such as/,
  );
  expect((await warmCli(["snooze", "shop", "10m"], options)).code).toBe(0);
  expect([await refs(), await refs("--all")]).toEqual([[], [id]]);
  expect((await warmCli(["snooze"], options)).stdout).toContain(id);
  expect((await warmCli(["snooze", "shop", "--off"], options)).code).toBe(0);
  expect(await refs()).toEqual([id]);
  await warmCli(["snooze", "shop"], options);
  await say(home, id, { state: "permission", ask: "b", message: "Bash: make", session: "s" });
  await say(home, id, { state: "working", ask: "a", session: "s" });
  expect(await refs()).toEqual([id]);
});

it("mistakes in the settings are reported", async () => {
  const home = new TestHome();
  mkdirSync(home.home, { recursive: true });
  const options = { home: home.home, vars: { AMUX_HOME: home.home } };
  const missing = await warmCli(["attention", "--watch", "--notify"], options);
  expect([missing.code, missing.stderr]).toEqual([7, expect.stringContaining("attention.json is missing")]);
  writeFileSync(join(home.home, "attention.json"), '{"notify":"notify-send hi"}');
  const wrong = await warmCli(["attention", "--watch", "--notify"], options);
  expect([wrong.code, wrong.stderr]).toEqual([7, expect.stringContaining("notify is a list of words")]);
});
