/**
 * Reads `sessions/<pid>.json`, where Claude Code records the state of each process. It shows what no hook reports: that a dialog
 * was answered, or a turn cancelled.
 */
import { join } from "node:path";
import type { State } from "../../core/state.ts";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { startTimeOf } from "../../lib/process/processes.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ProcessState } from "../status-hooks.ts";
import { configDirs } from "./locations.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const CALM: readonly State[] = ["done", "error", "stopped"];

export function processState(env: AgentEnv, pid: number): ProcessState | undefined {
  for (const directory of configDirs(env)) {
    const note = readNote(join(directory, "sessions", `${pid}.json`));
    // A killed process leaves its file behind, and its pid may be reused.
    if (note === undefined || !isOf(note, pid, env)) continue;
    const at = asTime(note["statusUpdatedAt"]);
    const word = at === undefined ? undefined : wordOf(note);
    return word === undefined ? undefined : { ...word, at: at! };
  }
  return undefined;
}

function readNote(path: string): Json | undefined {
  try {
    return asObject(JSON.parse(readText(path)));
  } catch {
    return undefined; // No such process, or an older version.
  }
}

function isOf(note: Json, pid: number, env: AgentEnv): boolean {
  const started = startTimeOf(pid);
  return (
    started !== undefined &&
    (env.platform !== "linux" || note["procStart"] === undefined || note["procStart"] === started)
  );
}

function wordOf(note: Json): Omit<ProcessState, "at"> | undefined {
  const waitingFor = asText(note["waitingFor"]);
  switch (note["status"]) {
    case "busy":
      return { state: "working" };
    case "idle":
    // A background shell continues after the turn.
    case "shell":
      return { state: "idle", could_be: CALM };
    case "waiting":
      if (waitingFor === "permission prompt") return { state: "permission" };
      // A menu that the user opened is not a question.
      return waitingFor === "dialog open"
        ? { state: "idle", could_be: [...CALM, "waiting", "permission"] }
        : { state: "waiting", ...optional("message", waitingFor) };
    default:
      return undefined;
  }
}
