/** The extension that Pi and omp load: it forwards their events to the hook program. */
import { join } from "node:path";
import type { HookedLaunch, HookProgram } from "../../core/hooks.ts";
import { programIndex } from "./hook-command.ts";
import { senderSource } from "./hook-sender.ts";

const EVENTS = [
  "session_start",
  "before_agent_start",
  "agent_start",
  "tool_execution_end",
  "auto_retry_start",
  "ui_prompt_start",
  "ui_prompt_end",
  "agent_end",
  "agent_settled",
];

export function extensionFile(agent: string): string {
  return `amux-${agent}.ts`;
}

export function extensionSource(program: HookProgram, agent: string): string {
  return `${senderSource(program, agent)}
function facts(name, event, ctx) {
  const manager = ctx?.sessionManager;
  return {
    event: name,
    sessionId: manager?.getSessionId?.(),
    sessionFile: manager?.getSessionFile?.(),
    cwd: ctx?.cwd ?? process.cwd(),
    idle: ctx?.isIdle?.(),
    toolName: event?.toolName,
    prompt: event?.prompt,
    title: event?.title,
    aborted: event?.aborted,
  };
}

export default function (agent) {
  let stopReason;
  let errorMessage;
  const on = (name, handle) => {
    try {
      agent.on(name, (event, ctx) => {
        try {
          handle(event, ctx);
        } catch {
          // A failure of amux must not disturb the agent.
        }
      });
    } catch {
      // This version of the agent does not have the event.
    }
  };
  on("message_end", (event) => {
    if (event?.message?.role !== "assistant") return;
    stopReason = event.message.stopReason;
    errorMessage = event.message.errorMessage;
  });
  let quiet;
  for (const name of ${JSON.stringify(EVENTS)}) {
    on(name, (event, ctx) => {
      clearTimeout(quiet);
      send({ ...facts(name, event, ctx), stopReason, errorMessage });
      // Old versions have no agent_settled event: a second without events ends the turn.
      const end = { ...facts("agent_quiet", event, ctx), stopReason, errorMessage };
      if (name === "agent_end") quiet = setTimeout(() => send(end), 1000);
    });
  }
  on("session_shutdown", (event, ctx) => sendNow(facts("session_shutdown", event, ctx)));
}
`;
}

/** Both accept `-e <file>` for one start. */
export function launchWithExtension(
  argv: readonly string[],
  command: string,
  program: HookProgram,
  directory: string,
): HookedLaunch | undefined {
  const index = programIndex(argv, command);
  if (index === -1) return undefined;
  const path = join(directory, extensionFile(command));
  return {
    argv: [...argv.slice(0, index + 1), "-e", path, ...argv.slice(index + 1)],
    env: {},
    files: [{ path, content: extensionSource(program, command) }],
  };
}
