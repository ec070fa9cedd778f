/** What stands around a record, as the program writes it: names of types are words, too, but nobody said them. */
import { isSilent } from "./record-types.ts";
import { typeName } from "./rollout-record.ts";

/** How a line begins: its time, its types, and whether there is a name, as a call without one is named by its type. */
export const HEAD =
  /^\{"timestamp":"([^"\\]*)",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)"(?:,"thread_id":"[^"\\]*",(?:"turn_id":"[^"\\]*",)?"item":\{"type":"(\w+)"|(,(?:"id":"[^"\\]*",)?"name":"[^"\\]))?)?/;

/**
 * How much of a line belongs to it, told by how the line begins: all, if nothing of the record is part of a message; 0 when it
 * is not known.
 */
export function envelopeOf(beginning: string): number {
  const found = HEAD.exec(beginning);
  if (found === null) return 0;
  // By their places: to take an array apart takes longer than the rest of it.
  const outer = found[2]!;
  const inner = found[3];
  const name = found[5];
  const isEvent = outer === "event_msg" && inner !== undefined;
  const isItem = outer === "response_item" && inner !== undefined;
  if (isSilent(typeName(outer, isEvent || isItem ? inner : undefined, found[4]))) return Number.POSITIVE_INFINITY;
  const isNamed = isItem && (name !== undefined || isNoCall(inner));
  return isEvent || isNamed ? found[0].length - (name?.length ?? 0) : 0;
}

function isNoCall(type: string): boolean {
  return type === "message" || type === "reasoning" || type.endsWith("_output");
}
