/**
 * Texts taken out of a buffer by the hundred: `toString` takes longer to find out what its arguments mean than to make a short
 * text.
 */
import { isTriedNode } from "./tried-node.ts";

type Slice = (this: Buffer, start: number, end: number) => string;

const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as { latin1Slice?: Slice; utf8Slice?: Slice };
const latin1Below = isTriedNode() && typeof latin1Slice === "function" ? latin1Slice : undefined;
const utf8Below = isTriedNode() && typeof utf8Slice === "function" ? utf8Slice : undefined;

/** Both places lie in the buffer. */
export function latin1Text(bytes: Buffer, start: number, end: number): string {
  return latin1Below === undefined ? bytes.toString("latin1", start, end) : latin1Below.call(bytes, start, end);
}

/** Both places lie in the buffer. */
export function utf8Text(bytes: Buffer, start: number, end: number): string {
  return utf8Below === undefined ? bytes.toString("utf8", start, end) : utf8Below.call(bytes, start, end);
}
