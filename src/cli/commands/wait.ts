import { AgentMuxError } from "../../core/errors.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { parseDuration } from "../durations.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { GOALS, goalOf, waitUntil, type GoalName } from "../mux/goals.ts";
import { sessionPlaces } from "../mux/places.ts";

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
    const outcome = await waitUntil(asked(invocation), files, deadline);
    if (outcome === undefined) throw new AgentMuxError("TIMEOUT", `Session ${meta.id} did not get there in time.`);
    return outcome;
  },
};

export default command;

function asked(invocation: Invocation): ReturnType<typeof goalOf> {
  const what = invocation.arguments[1];
  const goal = (invocation.text("for") ?? (what === undefined ? "exit" : "text")) as GoalName;
  if ((goal === "text" || goal === "regex") !== (what !== undefined)) {
    throw usageError("A text is given for --for text and --for regex, and only there.");
  }
  return goalOf(goal, what);
}
