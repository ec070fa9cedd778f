import { EXPORT_FORMATS, exportSession } from "../../history/export/export.ts";
import { optional } from "../../lib/values/optional.ts";
import { queryClient, ARCHIVE_OPTIONS } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { progressOn } from "../filters.ts";
import { sessionText } from "../format/transcript.ts";
import { hasMachine, resolveReference, SESSION_ARGUMENTS } from "../session-reference.ts";
import { localSessions } from "../local-sessions.ts";

/** `text` is for a terminal: colours, diffs, local times, long output folded. */
const FORMATS = ["text", ...EXPORT_FORMATS] as const;

const command: Command = {
  name: "sessions show",
  description:
    "Shows a session: facts, messages, tool calls and cost. On a terminal changes are diffs and long tool output is folded; through a pipe it is Markdown.",
  arguments: SESSION_ARGUMENTS,
  options: [
    {
      name: "format",
      value: "format",
      description: "how to print it (default: text on a terminal, otherwise markdown; --json is json)",
      choices: FORMATS,
    },
    { name: "from", value: "n", description: "as text, from message n on (counted from 0, as search and blame do)" },
    { name: "limit", value: "n", description: "only the first n messages" },
    { name: "full", description: "show long tool output, thinking and changes in full" },
    { name: "aside", description: "show abandoned branches of the conversation instead" },
    { name: "raw", description: "with JSON: add the agent's own records" },
    ...ARCHIVE_OPTIONS,
  ],
  examples: [
    ["amux sessions show claude 5cbe954d", "read a session; a unique prefix of its id is enough"],
    ["amux sessions show codex:01a1dce3 --limit 20", "its first twenty messages"],
    ["amux sessions show codex:01a1dce3 --from 12 --limit 5", "from a message that search or blame named"],
    ["amux sessions show codex:01a1dce3 --full", "with all tool output"],
    ["amux sessions show codex:01a1dce3 --format markdown", "as Markdown, also on a terminal"],
    ["amux sessions show shop", "the conversation of the terminal session shop"],
    ["amux sessions show claude:5cbe954d@box", "a session on another machine (amux peers)"],
    ["amux sessions show gemini c92f2b49 --json | jq .cost", "what it cost"],
  ],
  async run(invocation) {
    const { output } = invocation;
    if (invocation.flag("raw") && invocation.text("archive") !== undefined) {
      throw usageError("An archive does not hold the agent's own records; leave out --raw or --archive.");
    }
    if (invocation.flag("aside") && (hasMachine(invocation.arguments) || invocation.text("archive") !== undefined)) {
      throw usageError("Only this machine's own sessions are read with --aside; leave it out.");
    }
    const from = invocation.count("from", 0);
    if (
      from !== undefined &&
      (output.json || invocation.text("format") !== undefined || hasMachine(invocation.arguments))
    )
      throw usageError("--from shows text of this machine's sessions; leave out --json, --format and @peer.");
    const usual = output.json ? "json" : output.isTerminal || from !== undefined ? "text" : "markdown";
    const format = (invocation.text("format") ?? usual) as (typeof FORMATS)[number];
    const isFull = invocation.flag("full");
    const limit = invocation.count("limit");
    if (hasMachine(invocation.arguments)) {
      const { exportRemote, remoteReference } = await import("../peers/remote-history.ts");
      const reference = remoteReference(invocation.arguments);
      if (reference !== undefined) {
        // Another machine sends Markdown, which is not parsed here.
        return exportRemote(invocation, reference, format === "text" ? "markdown" : format, limit);
      }
    }
    const client = await queryClient(invocation, localSessions());
    const { agent, sessionId } = await resolveReference(client, invocation.arguments);
    const view = await client.sessions.open(agent, sessionId, { onProgress: progressOn(output) });
    const { aside } = view;
    const isAside = invocation.flag("aside");
    const shown = isAside ? { ...view, messages: () => aside?.messages() ?? [], subagents: () => [] } : view;
    const pieces =
      format === "text"
        ? sessionText(shown, output, { from, limit, isFull })
        : exportSession(shown, format, { ...optional("limit", limit), raw: invocation.flag("raw") });
    await (output.json ? output.write(pieces) : output.page(pieces));
    const count = aside?.count ?? 0;
    if (isAside ? count === 0 : count > 0) output.note(asideNote(count));
  },
};

export default command;

function asideNote(count: number): string {
  if (count === 0) return "No messages beside this conversation.";
  return `${count} ${count === 1 ? "message is" : "messages are"} on branches that were left; --aside shows them.`;
}
