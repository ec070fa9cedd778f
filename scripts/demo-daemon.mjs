/**
 * A daemon in its own home with every agent's recorded sessions, for screenshots, browser tests and page benchmarks. `close()`
 * ends everything it started.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { freePort } from "./free-port.mjs";
import { removeTree } from "./remove-tree.mjs";
import { root } from "./setup.mjs";

/**
 * With the recorded sessions of every agent or of those named. `prepare` may add files to the home before the daemon reads it.
 * `patienceMs` is for a start that hangs.
 */
export async function startDemoDaemon({
  history = true,
  vars = {},
  prepare = () => undefined,
  patienceMs = 60_000,
} = {}) {
  // Short, so that socket paths fit.
  const place = mkdtempSync("/tmp/amux-w-");
  const home = join(place, "user");
  mkdirSync(home);
  if (history) copyHistory(home, history === true ? readdirSync(agents) : history);
  prepare(home);
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    AMUX_HOME: join(place, "amux"),
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TZ: "UTC",
    ...vars,
  };
  const demo = new DemoDaemon(place, home, port, env, patienceMs);
  await demo.start();
  return demo;
}

class DemoDaemon {
  constructor(place, home, port, env, patienceMs) {
    Object.assign(this, { place, home, port, env, patienceMs, origin: `http://127.0.0.1:${port}` });
    this.socket = join(place, "amux", "amuxd.sock");
  }

  async start() {
    const address = `127.0.0.1:${this.port}`;
    this.child = spawn(process.execPath, [join(root, "dist/amux.cjs"), "daemon", "--listen", address], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let timer;
    await new Promise((resolve, reject) => {
      const fail = (how) => reject(new Error(`The daemon did not start (${how}): ${output}`));
      timer = setTimeout(() => fail(`waited ${this.patienceMs} ms`), this.patienceMs);
      for (const stream of [this.child.stdout, this.child.stderr])
        stream.on("data", (data) => {
          output += data;
          if (output.includes("is running")) resolve();
        });
      // After all of its output.
      this.child.once("close", (code, signal) => fail(signal ?? `code ${code}`));
    }).finally(() => clearTimeout(timer));
  }

  async kill(signal = "SIGKILL") {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Requests over the Unix socket need no token. */
  ask(method, path, body) {
    return new Promise((resolve, reject) => {
      const headers = { host: "localhost", "content-type": "application/json" };
      const outgoing = request({ socketPath: this.socket, method, path, headers, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => (text += piece));
        response.on("end", () => {
          const answer = JSON.parse(text);
          if (answer.ok) resolve(answer.data);
          else reject(new Error(`${method} ${path}: ${text}`));
        });
      });
      outgoing.once("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** An address that logs a browser in. */
  async loginLink() {
    const { code } = await this.ask("POST", "/v1/login-codes");
    return `${this.origin}/login#code=${code}`;
  }

  /** Runs a script in a session of its own. */
  async launch(script, options = {}) {
    const command = ["bash", "--norc", "-c", script];
    return (await this.ask("POST", "/v1/launch", { command, cwd: this.home, ...options })).session_id;
  }

  async endSessions() {
    const sessions = await this.ask("GET", "/v1/sessions").catch(() => []);
    await Promise.all(
      sessions
        .filter((session) => session.alive)
        .map((session) => this.ask("POST", `/v1/sessions/${session.id}/kill`).catch(() => undefined)),
    );
  }

  async close() {
    await this.endSessions();
    await this.kill("SIGTERM");
    this.endLeftovers();
    await removeTree(this.place);
  }

  /** Runners whose daemon was killed before it could end them. */
  endLeftovers() {
    const directory = join(this.place, "amux", "sessions");
    for (const id of existsSync(directory) ? readdirSync(directory) : []) {
      const path = join(directory, id, "meta.json");
      if (!existsSync(path)) continue;
      const { runner_pid } = JSON.parse(readFileSync(path, "utf8"));
      if (!isProcess(runner_pid)) continue;
      const { stdout } = spawnSync("ps", ["-p", String(runner_pid), "-o", "args="], { encoding: "utf8" });
      if (stdout.includes(id)) process.kill(runner_pid, "SIGTERM");
    }
  }
}

/** Asking `ps` about every session that has ended took a large part of the time. */
function isProcess(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const agents = join(root, "src/agents");

function copyHistory(home, names) {
  for (const agent of names) {
    const recorded = join(agents, agent, "fixtures/home");
    if (existsSync(recorded)) cpSync(recorded, home, { recursive: true });
  }
}
