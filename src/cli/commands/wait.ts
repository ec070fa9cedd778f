import { askRunner } from "../../client/runner-http.ts";
import { storedMeta } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { socketAnswers } from "../../lib/socket-probe.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { sessionFiles, type SessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { parseDuration } from "../durations.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { sessionPlaces } from "../mux/places.ts";

/** Looking again is what makes a lost event harmless. */
const LOOK_EVERY_MS = 200;

/** Without a status of its own a session is idle when its terminal has been still for so long. */
const STILL_MS = 2000;

const ENDED_BEFORE = 1;

const GOALS = ["idle", "exit", "text", "regex"] as const;

const command: Command = {
  name: "wait",
  summary: "Wait until a session is idle, ends or says something",
  description:
    "Idle is when the session no longer says that it works, or, if it says nothing, when its terminal is still. Exit code: 0 when it is so (for exit: the program's own), 1 when the session ended before, 11 when the time was over.",
  arguments: [
    SESSION_ARGUMENT,
    { name: "what", description: "the text or regular expression to wait for", optional: true },
  ],
  options: [
    { name: "for", value: "goal", description: "what to wait for (default exit)", choices: GOALS },
    { name: "timeout", value: "time", description: "give up after this time (30s, 5m, 1h)" },
  ],
  examples: [
    ["amux wait build && amux tail build", "until it has ended"],
    ["amux wait claude --for idle --timeout 10m", "until the agent has finished its turn"],
    ["amux wait server 'listening on' --for text", "until it is up"],
  ],
  async run(invocation) {
    const { meta } = chooseSession(invocation.arguments[0] ?? "");
    const files = sessionFiles(sessionPlaces(), meta.id);
    const timeout = invocation.text("timeout");
    const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + parseDuration(timeout, "timeout");
    const reached = goalOf(invocation);
    for (;;) {
      const outcome = await reached(files);
      if (outcome !== undefined) return outcome;
      if (Date.now() > deadline) throw new AgentMuxError("TIMEOUT", `Session ${meta.id} did not get there in time.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  },
};

export default command;

/** The exit code for the shell once the goal is reached. */
type Goal = (files: SessionFiles) => Promise<number | undefined>;

function goalOf(invocation: Invocation): Goal {
  const what = invocation.arguments[1];
  const goal = invocation.text("for") ?? (what === undefined ? "exit" : "text");
  if ((goal === "text" || goal === "regex") !== (what !== undefined)) {
    throw usageError("A text is given for --for text and --for regex, and only there.");
  }
  if (goal === "exit") return exited;
  if (goal === "idle") return idle;
  const pattern = goal === "regex" ? expression(what ?? "") : undefined;
  return async (files) => {
    const text = await ask(files, "/text?lines=1000");
    if (text === undefined) return ENDED_BEFORE;
    return (pattern === undefined ? text.includes(what ?? "") : pattern.test(text)) ? 0 : undefined;
  };
}

function expression(source: string): RegExp {
  try {
    return new RegExp(source, "m");
  } catch (error) {
    throw usageError(`"${source}" is no regular expression: ${(error as Error).message}`);
  }
}

async function exited({ socket, meta }: SessionFiles): Promise<number | undefined> {
  const stored = storedMeta(meta);
  if (stored?.alive === false) return stored.exit_code ?? ENDED_BEFORE;
  // Its process is gone without having written an end.
  return (await socketAnswers(socket)) ? undefined : ENDED_BEFORE;
}

async function idle(files: SessionFiles): Promise<number | undefined> {
  const text = await ask(files, "/meta");
  if (text === undefined) return ENDED_BEFORE;
  const { status, reports, alive, started_at, last_activity_at, last_input_at } = JSON.parse(text) as SessionMeta;
  if (!alive) return ENDED_BEFORE;
  if (status?.working === true) return undefined;
  // What was said before the last input says nothing about it: the program may not have read it yet.
  if (reports.some(({ at = "" }) => at > (last_input_at ?? ""))) return 0;
  const lastMove = [started_at, last_activity_at ?? "", last_input_at ?? ""].sort().at(-1) ?? "";
  return Date.now() - Date.parse(lastMove) > STILL_MS ? 0 : undefined;
}

async function ask({ socket }: SessionFiles, path: string): Promise<string | undefined> {
  try {
    return (await askRunner(socket, { method: "GET", path })).body.toString("utf8");
  } catch (error) {
    if (error instanceof AgentMuxError && error.code !== "TIMEOUT") return undefined;
    throw error;
  }
}
