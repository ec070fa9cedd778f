/**
 * Short texts of one byte for each character, written into a buffer by the thousand: `write` takes longer to find out what
 * "latin1" means than to write them.
 */
import { isTriedNode } from "./tried-node.ts";

type Write = (this: Buffer, text: string, start: number) => number;

const { latin1Write } = Buffer.prototype as unknown as { latin1Write?: Write };
const below = isTriedNode() && typeof latin1Write === "function" ? latin1Write : undefined;

/** Gives how many bytes were written. */
export function putLatin1(bytes: Buffer, text: string, start: number): number {
  return below === undefined ? bytes.write(text, start, "latin1") : below.call(bytes, text, start);
}
