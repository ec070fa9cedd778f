/** What stands around a record, as the program writes it: names of types are words, too, but nobody said them. */

/** A call is not among them: one without a name is named by its type. */
const TYPES =
  /^\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"(?:event_msg","payload":\{"type":"\w+|response_item","payload":\{"type":"(?:\w+_output|message|reasoning))(?=")/;

/** Its length; 0 for none that is known. */
export function envelopeOf(line: string): number {
  return TYPES.exec(line)?.[0].length ?? 0;
}
