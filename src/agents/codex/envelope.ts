/** What stands around a record, as the program writes it: names of types are words, too, but nobody said them. */
import { isSilent } from "./record-types.ts";
import { typeName } from "./rollout-record.ts";

/** A call without a name is named by its type. */
const TYPES =
  /^\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)"(?:,"thread_id":"[^"\\]*",(?:"turn_id":"[^"\\]*",)?"item":\{"type":"(\w+)"|(,(?:"id":"[^"\\]*",)?"name":"[^"\\]))?)?/;

/**
 * How much of a line belongs to it, told by how the line begins: all, if nothing of the record is part of a message; 0 when it
 * is not known.
 */
export function envelopeOf(beginning: string): number {
  const found = TYPES.exec(beginning);
  if (found === null) return 0;
  const [all, outer, inner, item, name] = found;
  const isEvent = outer === "event_msg" && inner !== undefined;
  const isItem = outer === "response_item" && inner !== undefined;
  if (isSilent(typeName(outer!, isEvent || isItem ? inner : undefined, item))) return Number.POSITIVE_INFINITY;
  const isNamed = isItem && (name !== undefined || NO_CALL.test(inner));
  return isEvent || isNamed ? all.length - (name?.length ?? 0) : 0;
}

const NO_CALL = /_output$|^message$|^reasoning$/;
