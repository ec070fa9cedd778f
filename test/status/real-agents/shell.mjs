/**
 * Real agents in a shell of amux, with installed hooks and `amux attention --watch`. Needs a build. Last run: SHELL.md.
 * Usage: node test/status/real-agents/shell.mjs <directory with node_modules of the agents> [agent]
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelService } from "./model-service.mjs";
import { prepared } from "./prepared.mjs";

const [agents, only] = process.argv.slice(2);
const AMUX = join(dirname(fileURLToPath(import.meta.url)), "../../../dist/amux.cjs");
const WAIT_MS = 60_000;
const SETTINGS = { claude: ".claude/settings.json", codex: ".codex/hooks.json" };
const BEFORE = '{\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, "x": 1 }';

const service = await startModelService();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let failures = 0;

async function play(agent) {
  if (only !== undefined && only !== agent) return;
  const work = mkdtempSync(join(tmpdir(), "amux-shell-"));
  const home = join(work, "home");
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  const { argv, ready, env, package: name } = prepared(agent, { agents, work, home, project, url: service.url });
  const version = JSON.parse(readFileSync(join(agents, "node_modules", name, "package.json"), "utf8")).version;
  const settings = join(home, SETTINGS[agent]);
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, BEFORE);
  const lines = [];
  const begun = Date.now();
  const say = (words) => lines.push(`${((Date.now() - begun) / 1000).toFixed(1).padStart(6)}  ${words}`);
  const check = (what, isTrue) => {
    if (!isTrue) failures++;
    say(`— ${isTrue ? "" : "MISSED: "}${what}`);
  };
  const amux = (...args) => spawnSync(process.execPath, [AMUX, ...args], { env, cwd: project, encoding: "utf8" });

  say(`amux hooks install ${agent}: ${amux("hooks", "install", agent).stdout.trim()}`);
  check("what was there is still there", readFileSync(settings, "utf8").includes('"command": "true"'));
  const shell = ["bash", "--norc", "--noprofile", "-i"];
  const started = amux("run", "-d", "--json", "--name", "sh", "--", ...shell);
  const { id, socket_path: socketPath } = JSON.parse(started.stdout);
  const watch = spawn(process.execPath, [AMUX, "attention", "--watch", "--json"], { env, cwd: project });
  let queue = "[]";
  watch.stdout.setEncoding("utf8").on("data", (text) => {
    for (const line of text.split("\n").filter(Boolean)) {
      queue = line;
      const items = JSON.parse(line).map(({ agent: who, reason, text: what = "" }) => `${who} ${reason} ${what}`);
      say(`attention: ${items.join("; ") || "nobody"}`);
    }
  });
  let last = "";
  const ask = (path) =>
    new Promise((resolve) => {
      request({ socketPath, path, agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece) => (text += piece));
        answer.on("end", () => resolve(text));
      })
        .on("error", () => resolve("{}"))
        .end();
    });
  const look = async () => {
    const { state = {}, agent: who = "" } = JSON.parse(await ask("/meta"));
    const now = `${state.state ?? "nothing"} ${who}`;
    if (now !== last)
      say(`status: ${now.padEnd(18)} ${state.source ?? ""} ${state.event ?? ""}  ${state.message ?? ""}`);
    last = now;
    return now;
  };
  const until = async (what, done) => {
    const from = Date.now();
    while (Date.now() - from < WAIT_MS) {
      if (await done()) return Date.now() - from;
      await pause(100);
    }
    check(`${what}\n${(await ask("/text?lines=30")).trimEnd()}`, false);
    return undefined;
  };
  const type = async (text) => {
    say(`type ${text}`);
    amux("send", id, text, "--no-enter");
    await pause(700);
    amux("send", id, "-k", "Enter");
  };
  const made = join(project, "made.txt");
  try {
    await pause(1000);
    await type(argv.join(" "));
    await until("its prompt", async () => ready.test(await ask("/text?lines=60")));
    await until("the agent to be known", async () => (await look()) === `idle ${agent}`);
    await pause(2500);
    await type("Say hi");
    await until("the end of the turn", async () => (await look()).startsWith("done"));
    await type("Please run the quick command");
    await until("permission", async () => (await look()).startsWith("permission"));
    await until("permission in the queue", () => queue.includes('"permission"'));
    say(`amux answer allow: ${amux("answer", id, "allow", "--json").stdout.replaceAll(/\s+/g, " ")}`);
    await until("the command's file", () => existsSync(made));
    await until("the end of the turn", async () => /^(done|idle)/.test(await look()));
    await type("Please take long");
    await until("working", async () => (await look()).startsWith("working"));
    await pause(1500);
    amux("send", id, "-k", "Escape");
    say("key Escape");
    const cancelled = await until("the cancelled turn to be over", async () => !(await look()).startsWith("working"));
    say(`over ${cancelled} ms after the key`);
    await type("Please run the quick command");
    await until("permission", async () => (await look()).startsWith("permission"));
    say(`amux explain:\n${amux("explain", id).stdout.trimEnd()}`);
    // The shell's foreground job with all its processes.
    const job = spawnSync("pgrep", ["-P", String(JSON.parse(await ask("/meta")).pid)], { encoding: "utf8" }).stdout;
    process.kill(-Number(job), "SIGKILL");
    say("kill -9 of the agent");
    await until("the shell to be idle", async () => (await look()).startsWith("idle"));
    await until("nobody to wait", () => !queue.includes('"permission"'));
  } catch (error) {
    check(String(error), false);
  } finally {
    amux("kill", id);
    watch.kill();
  }
  say(`amux hooks uninstall ${agent}: ${amux("hooks", "uninstall", agent).stdout.trim()}`);
  check("the settings are byte for byte what they were", readFileSync(settings, "utf8") === BEFORE);
  console.log(`\n## ${agent} ${version}\n\n${lines.join("\n")}`);
  rmSync(work, { recursive: true, force: true });
}

try {
  for (const agent of ["claude", "codex"]) await play(agent);
} finally {
  service.close();
}
console.log(`\n${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
