/** A daemon from this source tree with its own home, for benchmarks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { freePort } from "../scripts/free-port.mjs";

/** `build` is the result of `buildDaemon`; all files are below `directory`. */
export async function startDaemon(build, directory, name) {
  const home = join(directory, name);
  const port = await freePort();
  const env = { ...process.env, HOME: join(directory, "user"), AMUX_HOME: home, SHELL: "/bin/sh" };
  mkdirSync(env.HOME, { recursive: true });
  const child = spawn(
    process.execPath,
    ["--max-semi-space-size=32", join(build, "amux.cjs"), "daemon", "--listen", `127.0.0.1:${port}`],
    {
      env,
      // Systems share the CPU among login sessions; the daemon has its own, as in real use.
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  const text = (method, path, json, raw) => {
    const headers = json === undefined ? {} : { "content-type": "application/json" };
    const body = json === undefined ? raw : JSON.stringify(json);
    return fetchText({ socketPath: join(home, "amuxd.sock"), method, path, headers }, body);
  };
  const ask = async (...call) => {
    const answer = JSON.parse(await text(...call));
    if (!answer.ok) throw new Error(`${call[0]} ${call[1]}: ${answer.error.message}`);
    return answer.data;
  };
  const read = (pid, field) => readFileSync(`/proc/${pid}/${field}`, "utf8");
  /** Over the daemon, its reader of agents' files and its relay. */
  const sum = (measure) => {
    const children = read(child.pid, `task/${child.pid}/children`).trim().split(" ");
    const parts = children.filter((pid) => pid !== "" && /history-worker|relay-process/.test(read(pid, "cmdline")));
    return [child.pid, ...parts].reduce((total, pid) => total + measure(pid), 0);
  };
  const kill = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const killAll = async () => {
    for (const { id, alive } of await ask("GET", "/v1/sessions")) {
      if (alive)
        await ask("POST", `/v1/sessions/${id}/kill`).catch((error) => process.stderr.write(`${error.message}\n`));
    }
  };
  return {
    pid: child.pid,
    port,
    token: readFileSync(join(home, "auth-token"), "utf8").trim(),
    text,
    ask,
    // What they share counts once.
    memory: () => sum((pid) => Number(/Pss:\s+(\d+)/.exec(read(pid, "smaps_rollup"))[1]) / 1000),
    cpuSeconds: () =>
      sum((pid) => {
        const fields = read(pid, "stat").split(") ")[1].split(" ");
        return (Number(fields[11]) + Number(fields[12])) / 100;
      }),
    kill,
    killAll,
    async end() {
      await killAll();
      await kill();
    },
  };
}

export function fetchText(options, body) {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", agent: false, ...options }, (response) => {
      let all = "";
      response.setEncoding("utf8").on("data", (piece) => (all += piece));
      response.on("end", () => resolve(all));
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** Sessions of one message each, in Claude Code's format. */
export function writeHistory(directory, count) {
  const projects = join(directory, "user", ".claude", "projects");
  rmSync(projects, { recursive: true, force: true });
  for (let number = 0; number < count; number++) {
    const project = `project-${number % 100}`;
    const sessionId = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const record = {
      type: "user",
      uuid: `u-${number}`,
      parentUuid: null,
      sessionId,
      timestamp: new Date(1.77e12 + number * 1000).toISOString(),
      cwd: `/home/user/${project}`,
      version: "2.1.0",
      message: { role: "user", content: `Please have a look at number ${number} and see what can be done about it` },
    };
    mkdirSync(join(projects, project), { recursive: true });
    const path = join(projects, project, `${sessionId}.jsonl`);
    writeFileSync(path, `${JSON.stringify(record)}\n`);
    // As old as its timestamp: a recent file may still be written and is read again at the next start.
    utimesSync(path, new Date(record.timestamp), new Date(record.timestamp));
  }
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
