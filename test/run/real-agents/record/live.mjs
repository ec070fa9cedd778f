/** Records an agent's sessions in a terminal, which tmux is: node live.mjs AGENT. What is typed is in plays/AGENT.mjs. */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { begin, filesOf, HOME, picture, project, save, servedSince } from "./setting.mjs";
import { TOOLS } from "./tools.mjs";

const name = process.argv[2];
const { agent, service, env } = await begin(name);
const pane = `record-${name}`;
const log = [];

function tmux(...args) {
  return spawnSync("tmux", ["-L", pane, ...args], { encoding: "utf8" }).stdout;
}

function screen() {
  return tmux("capture-pane", "-p", "-t", pane);
}

async function until(what, check, limit = 120_000) {
  const end = Date.now() + limit;
  while (!check()) {
    if (Date.now() > end) {
      console.log(`not seen: ${what}\n${screen()}`);
      log.push({ missing: what });
      return;
    }
    await sleep(250);
  }
}

function start(args, cwd) {
  tmux("kill-session", "-t", pane);
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const command = ["env", "-i", ...variables, ...agent.program, ...args];
  tmux("new-session", "-d", "-x", "110", "-y", "40", "-s", pane, "-c", cwd, ...command);
  log.push({ start: args, cwd });
}

async function key(...names) {
  for (const each of names) {
    tmux("send-keys", "-t", pane, each);
    await sleep(300);
  }
  log.push({ keys: names });
}

/** Types a text and sends it. Programs take what comes at once for a paste, so Enter comes later. */
async function type(text) {
  tmux("send-keys", "-t", pane, "-l", text);
  await sleep(1000);
  tmux("send-keys", "-t", pane, "Enter");
  log.push({ typed: text });
}

/** As a terminal hands over what was dropped on it. */
async function paste(text) {
  tmux("set-buffer", text);
  tmux("paste-buffer", "-p", "-t", pane);
  await sleep(1500);
  log.push({ pasted: text });
}

const served = () => service.state.served.length;

/** Types a prompt and waits until all replies were taken and the screen rests. */
async function say(text, ...replies) {
  const from = served();
  service.state.queue.push(...replies);
  await type(text);
  await until(`the reply to ${text}`, () => service.state.queue.length === 0 && served() > from);
  await rest();
}

/** Some programs show a moving sign also while they wait. */
async function rest() {
  let before;
  for (let same = 0, looks = 0; same < 6 && looks < 30; same = screen() === before ? same + 1 : 0) {
    before = screen();
    looks += 1;
    await sleep(500);
  }
}

function show(what) {
  console.log(`--- ${what}\n${screen().trimEnd()}`);
}

/** Ends the program in the middle of an answer, without a warning. */
function kill() {
  const pid = Number(tmux("list-panes", "-t", pane, "-F", "#{pane_pid}"));
  process.kill(pid, "SIGKILL");
  log.push({ killed: true });
}

const { play } = await import(`./plays/${name}.mjs`);
await play({
  files: () => filesOf(agent),
  picture,

  HOME,
  start,
  key,
  type,
  say,
  rest,
  until,
  screen,
  sleep,
  service,
  project,
  served,
  show,
  kill,
  paste,
  tools: TOOLS[name],
});
tmux("kill-server");
save(`${name}-live`, { agent: name, version: agent.version, log, served: servedSince(service, 0) });
service.close();
