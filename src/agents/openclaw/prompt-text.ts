/**
 * Extracts the user's text from OpenClaw's user messages. Gateways prepend a line of origin, and automatic turns
 * (heartbeats, results of sub-agents) have the role `user` too.
 */
import type { Json } from "../../lib/json/fields.ts";
import type { Notice } from "../shared/tree-messages.ts";
import { isOwnTurn } from "./format.ts";

/** `[Sun 2026-11-15 01:56 UTC] `, and in 2026.1 `[Telegram Sam id:12 +2m 2026-01-24 13:36 UTC] `. */
const ENVELOPE = new RegExp(
  String.raw`^\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) |(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo|BlueBubbles) [^\]\n]{0,200})` +
    String.raw`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^\]\n]{0,200}\]\s*`,
);
/** `[cron:<job id> <job name>] ` before a scheduled prompt. */
const CRON = /^\[cron:[^\]\n]*\]\s*/;
/** Events since the last turn, one line each, before the text. */
const EVENT_LINES = /^(?:System: \[[^\n]*\n+)+/;
/** `Conversation info (untrusted metadata):` and similar, each with a block of JSON. */
const METADATA = /^[A-Z][^\n]{0,80} \(untrusted[^\n)]*\):\n```json\n[^]*?\n```\s*/;
const MESSAGE_ID = /^[ \t]*\[message_id: [^\]\n]*\][ \t]*$\n?/gm;

/** The order varies by build; a message with more metadata blocks is not from a gateway. */
const MAX_PREFIXES = 8;

/** Prefixes of automatic turns; builds before 2026.6 do not mark them otherwise. */
const OWN_TURNS = [
  "[Inter-session message]",
  "[OpenClaw heartbeat poll]",
  "Read HEARTBEAT.md if it exists",
  "A new session was started via /new or /reset.",
];

export function promptText(text: string, message: Json): string | Notice {
  let said = text;
  for (let round = 0; round < MAX_PREFIXES; round++) {
    for (const prefix of [EVENT_LINES, ENVELOPE, CRON, METADATA]) said = said.replace(prefix, "");
  }
  said = said.replace(MESSAGE_ID, "").trimEnd();
  return isOwnTurn(message) || OWN_TURNS.some((start) => said.startsWith(start)) ? { notice: said } : said;
}
