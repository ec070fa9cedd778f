/** JSON: the whole session object. JSONL: a header line with the session's facts, then a message per line. */
import type { SessionSummary } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { printableJson } from "../../lib/text/text.ts";
import type { SessionView } from "../session-view.ts";
import type { ExportOptions } from "./options.ts";
import { limited } from "./limited.ts";

/** A session's facts as output. Unknown values are left out, not 0. */
export function knownFacts<T extends SessionSummary>(summary: T): Partial<T> {
  const facts: Partial<T> = withoutUnknownCost(summary);
  if (facts.partial) {
    delete facts.turnCount;
    delete facts.messageCount;
  }
  return facts;
}

export function withoutUnknownCost<T extends Pick<SessionSummary, "cost">>(summary: T): T {
  const facts = { ...summary };
  if (facts.cost?.kind === "unknown" && facts.cost.totalUsd === 0) delete facts.cost;
  return facts;
}

export function* exportJson(view: SessionView, { limit, raw }: ExportOptions): Generator<string> {
  const { partial: _, relevanceScore: __, ...facts } = knownFacts(view.summary);
  // Written member by member: the messages of a long session do not fit into one string.
  yield printableJson(JSON.stringify(facts, null, 2)).replace(/\n\}$/, ",\n");
  yield `  "messages": [`;
  let first = true;
  for (const message of limited(view.messages(), limit).items) {
    yield `${first ? "" : ","}\n${indented(message, 4)}`;
    first = false;
  }
  yield first ? "]" : "\n  ]";
  const subagents = view.subagents();
  if (subagents.length > 0) yield `,\n  "subagents": ${indented(subagents, 2).trimStart()}`;
  if (raw) yield `,\n  "raw": ${indented(view.raw(), 2).trimStart()}`;
  yield "\n}\n";
}

function indented(value: unknown, spaces: number): string {
  const pad = " ".repeat(spaces);
  return pad + printableJson(jsonText(value, 2)).replaceAll("\n", `\n${pad}`);
}

export function* exportJsonl(view: SessionView, { limit }: ExportOptions): Generator<string> {
  const { partial: _, relevanceScore: __, ...facts } = knownFacts(view.summary);
  yield `${printableJson(JSON.stringify({ type: "session", ...facts }))}\n`;
  for (const message of limited(view.messages(), limit).items) yield `${printableJson(jsonText(message))}\n`;
}
