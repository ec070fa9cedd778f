/** Plants secrets everywhere, then searches everything amux started, wrote and answered. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { runCli } from "../support/run-cli.ts";
import { needsLinux } from "../support/needs.ts";

const TOKEN = "5ec2e7".repeat(10) + "beef";
const REMOTE_PASSWORD = "planted-in-a-remote";
const ARCHIVE_PASSWORD = "planted-in-an-address";
const PEER_TOKEN = "0ddba11".repeat(9) + "f";
const PLANTED = { token: TOKEN, remote: REMOTE_PASSWORD, archive: ARCHIVE_PASSWORD, peer: PEER_TOKEN };

/** Common commands that fail: the archive and the peer do not answer. */
const COMMANDS = [
  ["ls", "--json"],
  ["doctor", "--json"],
  ["daemon", "status", "--json"],
  ["peers", "list", "--json"],
  ["peers", "status"],
  ["archive", "status"],
  ["archive", "push"],
  ["config", "list", "--json"],
];

test("no secret appears in a log, an argument, a child's environment, a file or an answer", needsLinux, async () => {
  const machine = new TestDaemon({
    AMUX_TOKEN: TOKEN,
    AMUX_ARCHIVE: `postgres://me:${ARCHIVE_PASSWORD}@127.0.0.1:1/none`,
  });
  const repository = join(machine.userHome, "repository");
  mkdirSync(repository);
  execFileSync("git", ["init", "-q", repository]);
  execFileSync("git", ["-C", repository, "remote", "add", "origin", `https://me:${REMOTE_PASSWORD}@127.0.0.1/x.git`]);
  await machine.start();
  let output = "";
  machine.child!.stdout!.on("data", (text: string) => (output += text));
  machine.child!.stderr!.on("data", (text: string) => (output += text));
  expect(machine.token).toBe(TOKEN);

  const id = await machine.launch("env; exec cat", { cwd: repository });
  await waitFor("its output", async () =>
    (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("AMUX_SESSION_ID"),
  );
  const peer = { name: "box", url: "http://127.0.0.1:1", token: PEER_TOKEN };
  const answers = [
    await machine.ask("POST", "/v1/peers", peer),
    await machine.ask("POST", "/v1/peers", { ...peer, url: `http://${PEER_TOKEN}@127.0.0.1:1`, name: "bad" }),
    await machine.ask("GET", "/v1/peers"),
    await machine.ask("GET", "/v1/sessions"),
    await machine.ask("GET", `/v1/sessions/${id}/details`),
    await machine.ask("GET", `/v1/sessions/${id}/text?lines=1000`),
    await machine.ask("GET", "/v1/health"),
    await machine.ask("POST", "/v1/login-codes"),
    await machine.ask("POST", "/v1/launch", { command: ["/no/such/program"], cwd: repository }),
  ].map(({ text }) => text);
  answers.push(...(await overTcp(machine.port)));
  for (const command of COMMANDS) {
    const { stdout, stderr } = await runCli(command, { home: machine.userHome, vars: machine.vars });
    expect(stdout + stderr, command.join(" ")).not.toBe("");
    answers.push(stdout + stderr);
  }

  expect(found(output)).toEqual([]);
  for (const answer of answers) expect(found(answer), answer.slice(0, 200)).toEqual([]);
  const processes = processesOf(machine);
  expect(processes.length, "the daemon, the runner and its program").toBeGreaterThanOrEqual(3);
  for (const pid of processes) {
    expect(found(read(`/proc/${pid}/cmdline`)), `arguments of ${read(`/proc/${pid}/cmdline`)}`).toEqual([]);
    // The daemon has its secrets from its own start; processes it starts must not get them.
    if (pid !== machine.pid) expect(found(read(`/proc/${pid}/environ`)), read(`/proc/${pid}/cmdline`)).toEqual([]);
  }
  const files = readdirSync(machine.home, { recursive: true, encoding: "utf8" }).map((name) =>
    join(machine.home, name),
  );
  // One that the daemon or the runner is about to rename may be gone by now.
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const telling = files.filter((path) => isFile(path) && found(read(path)).length > 0);
  expect(telling.sort()).toEqual([machine.files.token, join(machine.home, "peers.json")].sort());
  for (const path of telling) expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** With the right token, and wrong ones that contain it: no answer repeats it. */
async function overTcp(port: number): Promise<string[]> {
  const address = `http://127.0.0.1:${port}`;
  const ask = async (path: string, authorization: string): Promise<string> => {
    const answer = await fetch(address + path, { headers: { authorization } });
    return JSON.stringify([...answer.headers]) + (await answer.text());
  };
  return Promise.all([
    ask("/v1/sessions", `Bearer ${TOKEN}`),
    ask("/v1/no-such-route", `Bearer ${TOKEN}`),
    ask("/v1/sessions/sess-zzzzzzzz", `Bearer ${TOKEN}`),
    ask("/v1/sessions", `Bearer ${TOKEN}x`),
    ask("/v1/sessions", `Basic ${TOKEN}`),
  ]);
}

function found(text: string): string[] {
  return Object.entries(PLANTED).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));
}

/** The daemon and every process with its home in the environment. */
function processesOf(machine: TestDaemon): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const ours = pids.filter((pid) => read(`/proc/${pid}/environ`).includes(`AMUX_HOME=${machine.home}\0`));
  return ours.map(Number);
}

/** Empty for a process that is gone or another user's file. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
