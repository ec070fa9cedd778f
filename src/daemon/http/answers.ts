/** Answers that are written as they come, and parameters as they are typed into a URL. */
import type { Writable } from "node:stream";
import * as z from "zod/mini";
import type { SessionReference } from "../../core/diff.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import { Problem } from "../problem.ts";

/** A whole number in a query. */
export const Count = z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number));

/** A moment in a query: ISO 8601. */
export const Moment = z.pipe(
  z
    .string()
    .check(
      z.refine((text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), "is no ISO 8601 date"),
    ),
  z.transform((text: string) => new Date(text)),
);

export const Flag = z.pipe(
  z.enum(["0", "1", "true", "false"]),
  z.transform((text) => text === "1" || text === "true"),
);

/** Several words with commas between them. */
export const Words = z.pipe(
  z.string().check(z.maxLength(4096)),
  z.transform((text) => text.split(",").filter((word) => word !== "")),
);

export function referenceOf(unifiedId: string): SessionReference {
  const parts = splitUnifiedId(unifiedId);
  if (parts === null) throw new Problem("bad_request", `${unifiedId} is not <agent>:<native id>.`);
  return { agent: parts.agent, sessionId: parts.nativeSessionId };
}

/** An answer in its envelope, written already. */
export class Written {
  readonly bytes: Uint8Array<ArrayBuffer>;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** A list whose members are written, several of them together. */
  static list(parts: readonly Uint8Array[]): Written {
    const between = parts.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part]));
    return new Written(Buffer.concat([LIST_BEGINS, ...between, LIST_ENDS]));
  }
}

const LIST_BEGINS = Buffer.from('{"ok":true,"data":[');
const LIST_ENDS = Buffer.from("]}");
const COMMA = Buffer.from(",");

/** An answer that is written to the connection itself, by whoever has something to tell, until the client leaves. */
export class Endless {
  readonly contentType: string;
  readonly begin: (connection: Writable) => void;

  constructor(contentType: string, begin: (connection: Writable) => void) {
    this.contentType = contentType;
    this.begin = begin;
  }
}

/**
 * Text in pieces. The first is waited for, so that what fails before it is still a refusal; a failure after it breaks the
 * connection off. When the client leaves, so does the source.
 */
export async function streamed(
  pieces: AsyncGenerator<string>,
  { contentType, before = "", after = "" }: { contentType: string; before?: string; after?: string },
): Promise<Response> {
  const encoder = new TextEncoder();
  const first = await pieces.next();
  let waiting = before + (first.done === true ? after : first.value);
  let ended = first.done === true;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Whoever is told nothing, neither more nor the end, does not ask again.
        while (waiting === "" && !ended) {
          const { value, done } = await pieces.next();
          ended = done === true;
          waiting = done === true ? after : value;
        }
        if (waiting !== "") controller.enqueue(encoder.encode(waiting));
        waiting = "";
        if (ended) controller.close();
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": contentType } });
}

/** The same inside the usual envelope. */
export function streamedEnvelope(pieces: AsyncGenerator<string>): Promise<Response> {
  return streamed(pieces, { contentType: "application/json", before: '{"ok":true,"data":', after: "}" });
}
