/** Names of the fields in the Cline CLI's files: `<id>.json` and `*.messages.json`. */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionImage } from "../../core/session.ts";
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  asTokens,
  type Json,
} from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";

const MESSAGES_SUFFIX = ".messages.json";

export function isMessagesFile(name: string): boolean {
  return name.endsWith(MESSAGES_SUFFIX);
}

/** `agent_17949_x.messages.json` -> `agent_17949_x`. */
export function agentIdIn(name: string): string {
  return name.slice(0, -MESSAGES_SUFFIX.length);
}

export function manifestFile(sessionId: string): string {
  return `${sessionId}.json`;
}

export function messagesFile(sessionId: string): string {
  return `${sessionId}${MESSAGES_SUFFIX}`;
}

/** What the model gets instead of the whole conversation, after it was compacted. */
export function compactionFile(sessionId: string): string {
  return `${sessionId}.compaction.json`;
}

export interface Summary {
  text: string;
  at: number | undefined;
}

export function summaryIn(compaction: Json): Summary | undefined {
  const facts = messagesIn(compaction)
    .map((message) => asObject(message["metadata"]))
    .find((metadata) => metadata?.["kind"] === "compaction_summary");
  const text = asText(facts?.["summary"]);
  return text === undefined ? undefined : { text, at: asTime(facts?.["generatedAt"]) };
}

interface ManifestFacts extends Partial<SessionHead> {
  prompt?: string;
}

/** What the session's own file says. */
export function manifestFacts(manifest: Json): ManifestFacts {
  const metadata = asObject(manifest["metadata"]);
  const prompt = asText(metadata?.["prompt"]) ?? asText(manifest["prompt"]);
  return {
    ...optional("title", asText(metadata?.["title"])),
    ...optional("prompt", prompt === undefined ? undefined : typedText(prompt)),
    ...optional("createdMs", asTime(manifest["started_at"])),
    ...optional("updatedMs", asTime(manifest["ended_at"])),
    ...optional("model", asText(manifest["model"])),
    ...optional("cwd", asText(manifest["cwd"])),
    ...optional("branch", asText(asObject(metadata?.["git"])?.["branch"])),
    ...optional("agentVersion", asText(asObject(metadata?.["sessionHistoryOrigin"])?.["version"])),
    ...optional("forkedFrom", asText(asObject(metadata?.["fork"])?.["forkedFromSessionId"])),
    ...optional("startedMs", asTime(asObject(metadata?.["fork"])?.["forkedAt"])),
  };
}

/** The process that works on the session, if one does. */
export function workingPid(manifest: Json): number | undefined {
  return manifest["status"] === "running" ? asNumber(manifest["pid"]) : undefined;
}

export function messagesIn(document: Json): Json[] {
  return asObjects(document["messages"]);
}

/** Whether the document holds a conversation at all. */
export function isMessages(document: Json): boolean {
  return asArray(document["messages"]) !== undefined;
}

export interface ClineMessage {
  id: string | undefined;
  role: string | undefined;
  at: number | undefined;
  text: string;
  thinking: string;
  /** Shown to the user and not sent. */
  isNotice: boolean;
  model: string | undefined;
  calls: { id: string; name: string; input: unknown }[];
  results: { id: string; name: string; output: unknown; isError: boolean }[];
  images: SessionImage[];
  tokens: TokenCounts | undefined;
  microUsd: number | undefined;
}

export function messageIn(fields: Json): ClineMessage {
  const content = fields["content"];
  const parts: Json[] = asString(content) === undefined ? asObjects(content) : [{ type: "text", text: content }];
  const of = (type: string): Json[] => parts.filter((part) => part["type"] === type);
  const metrics = asObject(fields["metrics"]);
  const cost = asNumber(metrics?.["cost"]);
  return {
    id: asText(fields["id"]),
    role: asText(fields["role"]),
    at: asTime(fields["ts"]),
    text: of("text")
      .map((part) => typedText(asString(part["text"]) ?? ""))
      .join("\n"),
    thinking: of("thinking")
      .flatMap((part) => asText(part["thinking"]) ?? [])
      .join("\n"),
    isNotice: asObject(fields["metadata"])?.["displayOnly"] === true,
    model: asText(asObject(fields["modelInfo"])?.["id"]),
    calls: of("tool_use").flatMap((part) => {
      const id = asText(part["id"]);
      return id === undefined ? [] : [{ id, name: asText(part["name"]) ?? "tool", input: part["input"] }];
    }),
    results: of("tool_result").flatMap((part) => {
      const id = asText(part["tool_use_id"]);
      if (id === undefined) return [];
      const output = jsonOrText(part["content"]);
      return [
        {
          id,
          name: asText(part["name"]) ?? "tool",
          output,
          isError: part["is_error"] === true || failureIn(output) !== undefined,
        },
      ];
    }),
    images: of("image").flatMap((part) => imageIn(part) ?? []),
    tokens: metrics && tokensIn(metrics),
    // The program writes 0 for models without a known price.
    microUsd: cost === undefined || cost <= 0 ? undefined : cost * 1e6,
  };
}

/** A prompt is wrapped with the mode it was typed in. */
function typedText(text: string): string {
  return /^<user_input mode="[^"]*">([\s\S]*)<\/user_input>$/.exec(text)?.[1] ?? text;
}

/** Why a tool failed. It answers with one outcome, or with one for each thing it was asked to do. */
export function failureIn(output: unknown): string | undefined {
  const outcomes = asObject(output) === undefined ? asObjects(output) : [asObject(output)!];
  if (outcomes.length === 0 || outcomes.some((outcome) => outcome["success"] !== false)) return undefined;
  return outcomes.map((outcome) => asText(outcome["error"]) ?? "It failed.").join("\n");
}

function imageIn(part: Json): SessionImage | undefined {
  const source = asObject(part["source"]) ?? part;
  const mediaType = asText(source["media_type"]) ?? asText(source["mediaType"]);
  const data = asText(source["data"]);
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

/** Input includes the cache. Output includes thinking, untold. */
function tokensIn(metrics: Json): TokenCounts {
  const [cached, cacheWrite] = [asTokens(metrics["cacheReadTokens"]), asTokens(metrics["cacheWriteTokens"])];
  return {
    input: Math.max(0, asTokens(metrics["inputTokens"]) - cached - cacheWrite),
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output: asTokens(metrics["outputTokens"]),
    thinking: 0,
  };
}
