/**
 * Program text for agents that load modules instead of hooks: it passes events to the hook program, one at a time and in order,
 * and never blocks or fails the agent.
 */
import type { HookProgram } from "../../core/hooks.ts";

/** The first line of every module we write, which identifies it. */
export const MODULE_MARK = "// amux-hook: tells amux what this agent is doing. `amux hooks uninstall` removes it.";

/** Defines `send(payload)`, and `sendNow(payload)` for use right before the process ends. */
export function senderSource({ node, script }: HookProgram, agent: string): string {
  return `${MODULE_MARK}
import { spawn, spawnSync } from "node:child_process";

const command = ${JSON.stringify(node)};
const args = ${JSON.stringify([script, agent])};
// Only sessions of amux and tmux have a listener.
const heard = Boolean(process.env.AMUX_SOCKET || process.env.TMUX) && process.env.AMUX_HOOKS !== "off";
const waiting = [];
let busy = false;

function describe(payload) {
  return JSON.stringify({ at: Date.now(), pid: process.pid, cwd: process.cwd(), ...payload });
}

function send(payload) {
  try {
    // Drop events when the hook program is this far behind.
    if (heard && waiting.length < 32) waiting.push(describe(payload));
    next();
  } catch {
    // A failure of amux must not disturb the agent.
  }
}

function next() {
  if (busy || waiting.length === 0) return;
  busy = true;
  const done = () => {
    busy = false;
    next();
  };
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] });
  child.on("error", done).on("close", done);
  child.stdin.on("error", () => {});
  child.stdin.end(waiting.shift());
  child.unref();
}

function sendNow(payload) {
  try {
    // The rule of src/hook/patience.ts, which this file cannot import.
    const times = Number(process.env.AMUX_HOOK_PATIENCE);
    const timeout = times > 1 && times <= 100 ? Math.round(1500 * times) : 1500;
    if (heard) spawnSync(command, args, { input: describe(payload), stdio: ["pipe", "ignore", "ignore"], timeout });
  } catch {
    // A failure of amux must not disturb the agent.
  }
}
`;
}
