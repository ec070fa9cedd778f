import { AgentMuxError } from "../../core/errors.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { parseDuration } from "../durations.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { GOALS, goalOf, waitUntil, watched, type GoalName, type Watched } from "../mux/wait-conditions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { isRemoteRef } from "../mux/remote.ts";
import { watchRemote } from "../mux/watch-remote.ts";

const command: Command = {
  name: "wait",
  description:
    "Idle: the session reports that it is no longer working or, if it reports nothing, its terminal has gone quiet. Exit code: 0 when the condition is met (for exit: the program's own), 1 when the session ended first, 11 on timeout.",
  arguments: [
    SESSION_ARGUMENT,
    { name: "what", description: "the text or regular expression to wait for", optional: true },
  ],
  options: [
    { name: "for", value: "goal", description: "what to wait for (default exit)", choices: GOALS },
    { name: "timeout", value: "time", description: "give up after this time (30s, 5m, 1h)" },
  ],
  examples: [
    ["amux wait build && amux tail build", "wait until it has exited"],
    ["amux wait claude --for idle --timeout 10m", "wait until the agent has finished its turn"],
    ["amux wait server 'listening on' --for text", "wait until the server is up"],
  ],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    const goal = asked(invocation);
    const session = isRemoteRef(ref) ? await watchRemote(ref, invocation.output) : here(ref);
    const timeout = invocation.text("timeout");
    const deadline =
      timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + parseDuration(timeout, "--timeout");
    const outcome = await waitUntil(goal, session, deadline);
    if (outcome === undefined) throw new AgentMuxError("TIMEOUT", `Timed out waiting for ${ref}.`);
    return outcome;
  },
};

export default command;

function here(ref: string): Watched {
  return watched(sessionFiles(sessionDirectories(), chooseSession(ref).meta.id));
}

function asked(invocation: Invocation): ReturnType<typeof goalOf> {
  const what = invocation.arguments[1];
  const goal = (invocation.text("for") ?? (what === undefined ? "exit" : "text")) as GoalName;
  if ((goal === "text" || goal === "regex") !== (what !== undefined)) {
    throw usageError("Give a text with --for text or --for regex, and only there.");
  }
  return goalOf(goal, what);
}
