import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { DemoDaemon } from "../../../scripts/demo-daemon.mjs";

const HOOK = join(import.meta.dirname, "../../../dist/amux-hook.cjs");

/** Runs the real hook program for Claude Code; resolves to its output after the decision. */
export async function askPermission(demo: DemoDaemon, id: string, command = "rm -r build"): Promise<string> {
  const payload = { hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command } };
  const AMUX_SOCKET = join(demo.place, "amux/sockets", `${id}.sock`);
  const hook = spawn(process.execPath, [HOOK, "claude"], {
    env: { PATH: process.env["PATH"], HOME: demo.place, AMUX_SOCKET, AMUX_HOOK_PATIENCE: "50" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  hook.stdin.end(JSON.stringify(payload));
  return text(hook.stdout);
}
