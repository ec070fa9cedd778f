/** A conversation as lines to read. */
import type { TranscriptPart } from "../../client/daemon-api.ts";
import type { SessionMessage } from "../../core/session.ts";
import { withoutControls } from "../../lib/text/text.ts";
import { THEME } from "../theme.ts";
import type { TuiServices } from "../services.ts";
import type { TextLine } from "../views/text-view.ts";

/** A tool's output is shown by its beginning. */
const MAX_OUTPUT_LINES = 12;
const MAX_INPUT = 300;
const REMOTE_WITHIN_MS = 60_000;

/** `last`: only so many of the newest messages. */
export async function transcriptLines(
  services: TuiServices,
  { agent, sessionId }: { agent: string; sessionId: string },
  last = Number.POSITIVE_INFINITY,
): Promise<TextLine[]> {
  const history = await services.history();
  const { messages } = await history.open(agent, sessionId);
  const kept: SessionMessage[] = [];
  for (const message of messages()) {
    kept.push(message);
    if (kept.length > last) kept.shift();
  }
  return kept.flatMap(messageLines);
}

/** Of a session on another machine, which reads it for us. */
export async function remoteTranscriptLines({ daemon }: TuiServices, id: string): Promise<TextLine[]> {
  const path = `/v1/sessions/${id}/transcript`;
  const { messages } = await daemon.ask<TranscriptPart>({ method: "GET", path, timeoutMs: REMOTE_WITHIN_MS });
  // Another machine's word is taken as far as it is understood.
  const known = messages.filter(({ role, content }) => Object.hasOwn(LOOKS, role) && typeof content === "string");
  return known.flatMap(({ timestamp, ...message }) =>
    messageLines({
      ...(message as SessionMessage),
      ...(timestamp === undefined ? {} : { timestamp: new Date(timestamp) }),
    }),
  );
}

const LOOKS = { user: THEME.accentBold, assistant: THEME.good, tool: THEME.dim, system: THEME.warn } as const;

function messageLines({ role, content, timestamp, toolCalls = [], toolResult, model }: SessionMessage): TextLine[] {
  const at = timestamp === undefined ? "" : ` · ${timestamp.toISOString().slice(0, 16).replace("T", " ")}`;
  const by = role === "assistant" && model !== undefined ? ` · ${model}` : "";
  const name = toolResult === undefined ? role : `${role} ${toolResult.toolName}`;
  const text = withoutControls(content).trim();
  const shown = role === "tool" ? beginning(text) : text;
  return [
    { text: `▌${name}${by}${at}`, look: LOOKS[role] },
    ...(shown === "" ? [] : [{ text: shown, indent: 2, ...(role === "tool" ? { look: THEME.dim } : {}) }]),
    ...toolCalls.map(({ toolName, input }) => ({
      text: `⚒ ${toolName} ${withoutControls(JSON.stringify(input) ?? "").slice(0, MAX_INPUT)}`,
      look: THEME.dim,
      indent: 2,
    })),
    { text: "" },
  ];
}

function beginning(text: string): string {
  const lines = text.split("\n");
  return lines.length <= MAX_OUTPUT_LINES
    ? text
    : [...lines.slice(0, MAX_OUTPUT_LINES), `… ${lines.length - MAX_OUTPUT_LINES} more lines`].join("\n");
}
