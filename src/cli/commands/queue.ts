import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { MAX_PROMPT } from "../../core/queue.ts";
import type { QueuedPrompt, ScheduledPrompt } from "../../protocol/queue.ts";
import { usageError, type Command, type Invocation, type OptionSpec } from "../command.ts";
import { dueText } from "../../status/queue/queue-words.ts";
import { ANY_SESSION_ARGUMENT } from "../mux/choose.ts";
import { actOnSession, promptOf } from "../mux/queues.ts";
import { askDaemon } from "../mux/remote.ts";

export const WHEN_OPTION: OptionSpec = {
  name: "when",
  value: "time",
  description: 'idle (default), reset, 9:00, "tomorrow 9:00", "in 2h", "weekdays 9:00", "every mon,thu 9:00"',
};

const command: Command = {
  name: "queue",
  description:
    "Queues a prompt for a session. The session's own process keeps it on disk and types it when the agent is idle and asks nothing. It is delivered at most once: if amux cannot know whether it arrived, it is held (amux queue list) and never sent again by itself. --when reset waits for the reset of the account's usage limit; sessions of one account then begin one after the other. The daemon resumes an ended session for its queue. With --new, the daemon starts a session for the prompt, once or on every date. Without text, or with -, the prompt is standard input.",
  arguments: [
    {
      ...ANY_SESSION_ARGUMENT,
      description: `${ANY_SESSION_ARGUMENT.description}; with --new, the prompt`,
      optional: true,
    },
    { name: "text", description: "the prompt", optional: true, mayBeginWithDash: true },
  ],
  options: [
    WHEN_OPTION,
    { name: "new", value: "agent", description: "start a session of this agent for it; needs the daemon" },
    { name: "cwd", value: "dir", description: "with --new: where (default: here)" },
  ],
  examples: [
    ["amux queue shop 'now update the changelog'", "after the current turn"],
    ["amux queue shop 'go on' --when reset", "when the usage limit resets"],
    ["amux queue shop 'run the tests' --when 'weekdays 9:00'", "again and again"],
    ["amux queue --new claude --cwd ~/dev/shop 'triage new issues' --when 'daily 7:30'", "in new sessions"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const prompt = invocation.text("new") === undefined ? await add(invocation) : await schedule(invocation);
    if (output.json) return output.writeJson(prompt);
    await output.write(`${prompt.id}  ${dueText(prompt)}\n`);
  },
};

export default command;

async function add(invocation: Invocation): Promise<QueuedPrompt> {
  const [session, given] = invocation.arguments;
  if (invocation.text("cwd") !== undefined) throw usageError("--cwd goes with --new.");
  if (session === undefined) throw usageError("Name a session, or give --new. See amux queue --help.");
  const request = { text: await textOf(given), when: invocation.text("when") ?? "idle" };
  return promptOf(await actOnSession(session, { kind: "add", request }, invocation.output)) as QueuedPrompt & {
    session: string;
  };
}

async function schedule(invocation: Invocation): Promise<ScheduledPrompt> {
  const [given, more] = invocation.arguments;
  if (more !== undefined) throw usageError("With --new there is no session: give the prompt only.");
  const when = invocation.text("when");
  if (when === undefined) throw usageError("--new needs --when. To start a session now, use amux run.");
  return askDaemon("POST", "/v1/queues", {
    agent: invocation.text("new"),
    cwd: resolve(invocation.text("cwd") ?? "."),
    text: await textOf(given),
    when,
  });
}

async function textOf(given: string | undefined): Promise<string> {
  if (given !== undefined && given !== "-") return promptText(given);
  if (process.stdin.isTTY) throw usageError("Give a prompt, or pipe one in.");
  return promptText(await readAll(process.stdin));
}

/** A runner only says that its request is not right. */
export function promptText(text: string): string {
  if (text.trim() === "") throw usageError("The prompt is empty.");
  if (text.length > MAX_PROMPT)
    throw usageError(
      `A prompt has at most ${MAX_PROMPT.toLocaleString("en")} characters. Put more into a file, and name it.`,
    );
  return text;
}
