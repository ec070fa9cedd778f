/** Conditions to wait for: a session's end, idleness or output. */
import { isAtRest } from "../../client/at-rest.ts";
import { askRunner } from "../../client/runner-http.ts";
import { storedMeta } from "../../client/stored-meta.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { socketAnswers } from "../../lib/process/socket-probe.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import type { SessionFiles } from "../../protocol/session-files.ts";
import { usageError } from "../command.ts";

/** Polling makes a lost event harmless. */
const LOOK_EVERY_MS = 200;

/** The session ended before the condition held. */
export const ENDED_BEFORE = 1;

export const GOALS = ["idle", "exit", "text", "regex"] as const;
export type GoalName = (typeof GOALS)[number];

/** A session's observable state; undefined if its process is gone. */
export interface Watched {
  text(): Promise<string | undefined>;
  meta(): Promise<SessionMeta | undefined>;
  /** The exit code for the shell, once it has ended. */
  exited(): Promise<number | undefined>;
  lookEveryMs: number;
}

/** The exit code for the shell, once the condition holds. */
type Goal = (session: Watched) => Promise<number | undefined>;

/** `what` is the text or the regular expression. */
export function goalOf(goal: GoalName, what = ""): Goal {
  if (goal === "exit") return (session) => session.exited();
  if (goal === "idle") return idle;
  const pattern = goal === "regex" ? expression(what) : undefined;
  return async (session) => {
    const text = await session.text();
    if (text === undefined) return ENDED_BEFORE;
    return (pattern === undefined ? text.includes(what) : pattern.test(text)) ? 0 : undefined;
  };
}

/** Undefined at the deadline. */
export async function waitUntil(goal: Goal, session: Watched, deadlineMs: number): Promise<number | undefined> {
  for (;;) {
    const outcome = await goal(session);
    if (outcome !== undefined || Date.now() > deadlineMs) return outcome;
    await new Promise((resolve) => setTimeout(resolve, session.lookEveryMs));
  }
}

/** A local session. */
export function watched(files: SessionFiles): Watched {
  return {
    text: () => ask(files, "/text?lines=1000"),
    meta: async () => {
      const text = await ask(files, "/meta");
      return text === undefined ? undefined : (JSON.parse(text) as SessionMeta);
    },
    exited: () => exited(files),
    lookEveryMs: LOOK_EVERY_MS,
  };
}

function expression(source: string): RegExp {
  try {
    return new RegExp(source, "m");
  } catch (error) {
    throw usageError(`"${source}" is not a regular expression: ${(error as Error).message}`);
  }
}

async function exited({ socket, meta }: SessionFiles): Promise<number | undefined> {
  const known = recordedExit(meta);
  if (known !== undefined || (await socketAnswers(socket))) return known;
  // It may have ended between these two looks; otherwise its process is gone without a recorded end.
  return recordedExit(meta) ?? ENDED_BEFORE;
}

function recordedExit(meta: string): number | undefined {
  const stored = storedMeta(meta);
  return stored?.alive === false ? (stored.exit_code ?? ENDED_BEFORE) : undefined;
}

async function idle(session: Watched): Promise<number | undefined> {
  const meta = await session.meta();
  if (meta === undefined || !meta.alive) return ENDED_BEFORE;
  return isAtRest(meta, Date.now()) ? 0 : undefined;
}

async function ask({ socket }: SessionFiles, path: string): Promise<string | undefined> {
  try {
    return (await askRunner(socket, { method: "GET", path })).body.toString("utf8");
  } catch (error) {
    if (error instanceof AgentMuxError && error.code !== "TIMEOUT") return undefined;
    throw error;
  }
}
