/**
 * Drives real agents in sessions (`amux run`, `amux answer`) and prints their states. Needs a build. Last run: ANSWERS.md.
 * Usage: node test/status/real-agents/answers.mjs <directory with node_modules of the agents> [agent]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelService } from "./model-service.mjs";
import { prepared } from "./prepared.mjs";

const [agents, only] = process.argv.slice(2);
const AMUX = join(dirname(fileURLToPath(import.meta.url)), "../../../dist/amux.cjs");
const WAIT_MS = 60_000;

const work = mkdtempSync(join(tmpdir(), "amux-answers-"));
const home = join(work, "home");
const project = join(home, "project");
mkdirSync(project, { recursive: true });
execFileSync("git", ["init", "-q", project]);
const service = await startModelService();
let failures = 0;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function play(agent) {
  if (only !== undefined && only !== agent) return;
  const { argv, ready, env, package: name } = prepared(agent, { agents, work, home, project, url: service.url });
  const version = JSON.parse(readFileSync(join(agents, "node_modules", name, "package.json"), "utf8")).version;
  const amux = (...args) => spawnSync(process.execPath, [AMUX, ...args], { env, cwd: project, encoding: "utf8" });
  const started = amux("run", "-d", "--name", agent, "--json", "--", ...argv);
  if (started.status !== 0) throw new Error(started.stderr);
  const { id, socket_path: socketPath } = JSON.parse(started.stdout);
  const ask = (path) =>
    new Promise((resolve, reject) => {
      request({ socketPath, path }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece) => (text += piece));
        answer.on("end", () => resolve(text));
      })
        .on("error", reject)
        .end();
    });
  const begun = Date.now();
  const seconds = () => ((Date.now() - begun) / 1000).toFixed(1).padStart(6);
  const lines = [];
  let last = "";
  const look = async () => {
    const { state, alive } = JSON.parse(await ask("/meta").catch(() => '{"alive":false}'));
    const now = alive ? (state?.state ?? "nothing") : "ended";
    if (now !== last)
      lines.push(
        `${seconds()}  ${now.padEnd(11)} ${state?.source ?? ""} ${state?.event ?? ""}  ${state?.message ?? ""}`,
      );
    last = now;
    return now;
  };
  const until = async (what, done) => {
    const from = Date.now();
    while (Date.now() - from < WAIT_MS) {
      if (await done()) return Date.now() - from;
      await pause(50);
    }
    failures++;
    lines.push(`${seconds()}  MISSED: ${what}\n${(await ask("/text?lines=30").catch(() => "")).trimEnd()}`);
    return undefined;
  };
  const made = join(project, "made.txt");
  const say = (words) => lines.push(`${seconds()}  — ${words}`);
  const type = (text) => {
    const { stdout, stderr, status } = amux("send", id, text, "--json");
    say(`amux send "${text}": ${status} ${(stdout || stderr).replaceAll(/\s+/g, " ")}`);
    if (status !== 0) failures++;
  };
  /** A message during a permission question must not grant it. */
  const refused = (text) => {
    const { stderr, status } = amux("send", id, text);
    say(`amux send "${text}": ${status} ${stderr.trim()}`);
    if (status !== 2 || existsSync(made)) failures++;
  };
  const answer = (words) => {
    const { stdout, stderr } = amux("answer", id, words, "--json");
    say(`amux answer "${words}": ${(stdout || stderr).replaceAll(/\s+/g, " ")}`);
    if (!/"via": "hook"/.test(stdout) || !/"confirmed": true/.test(stdout)) failures++;
  };
  await until("its prompt", async () => ready.test(await ask("/text?lines=60")));
  await pause(2500);
  type("Say hi");
  await until("done", async () => (await look()) === "done");
  type("Please run the quick command");
  await until("permission", async () => (await look()) === "permission");
  refused("stop, do not do that");
  answer("allow");
  await until("the command's file", async () => (await look()) && existsSync(made));
  await until("done", async () => (await look()) === "done");
  rmSync(made, { force: true });
  type("Please run the quick command");
  await until("permission", async () => (await look()) === "permission");
  answer("not now, use make");
  await until("the end of the turn", async () => !["working", "permission"].includes(await look()));
  say(existsSync(made) ? "it did it all the same" : "it did not do it");
  if (existsSync(made)) failures++;
  type("Please take long");
  await until("working", async () => (await look()) === "working");
  await pause(1500);
  amux("send", id, "-k", "Escape");
  say("key Escape");
  const cancelled = await until("the cancelled turn to be over", async () => (await look()) !== "working");
  say(`over ${cancelled} ms after the key`);
  type("Please take long");
  await until("working", async () => (await look()) === "working");
  const { pid } = JSON.parse(await ask("/meta"));
  process.kill(pid, "SIGKILL");
  say("kill -9 of the agent");
  await until("the end", async () => (await look()) === "ended");
  console.log(`\n## ${agent} ${version}\n\n${lines.join("\n")}`);
  amux("kill", id);
}

try {
  for (const agent of ["claude", "codex"]) await play(agent);
} finally {
  service.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(`\n${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
