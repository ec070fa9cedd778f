/** Streamed answers, and query parameters. */
import type { Writable } from "node:stream";
import * as z from "zod/mini";
import type { SessionReference } from "../../core/diff.ts";
import { splitUnifiedId } from "../../core/unified-id.ts";
import { Problem } from "../problem.ts";

/** A whole number in a query. */
export const Count = z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number));

/** An ISO 8601 time in a query. */
export const Moment = z.pipe(
  z
    .string()
    .check(
      z.refine((text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), "is not an ISO 8601 date"),
    ),
  z.transform((text: string) => new Date(text)),
);

export const Flag = z.pipe(
  z.enum(["0", "1", "true", "false"]),
  z.transform((text) => text === "1" || text === "true"),
);

/** Comma-separated words. */
export const Words = z.pipe(
  z.string().check(z.maxLength(4096)),
  z.transform((text) => text.split(",").filter((word) => word !== "")),
);

export function referenceOf(unifiedId: string): SessionReference {
  const parts = splitUnifiedId(unifiedId);
  if (parts === null) throw new Problem("bad_request", `${unifiedId} is not <agent>:<native id>.`);
  return { agent: parts.agent, sessionId: parts.nativeSessionId };
}

/** An already encoded answer in its envelope. */
export class EncodedAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** A list of encoded members, in several parts. */
  static list(parts: readonly Uint8Array[]): EncodedAnswer {
    const between = parts.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part]));
    return new EncodedAnswer(Buffer.concat([LIST_BEGINS, ...between, LIST_ENDS]));
  }
}

const LIST_BEGINS = Buffer.from('{"ok":true,"data":[');
const LIST_ENDS = Buffer.from("]}");
const COMMA = Buffer.from(",");

/** An answer that its source writes directly to the connection, until the client leaves. */
export class StreamedAnswer {
  readonly contentType: string;
  readonly begin: (connection: Writable) => void;

  constructor(contentType: string, begin: (connection: Writable) => void) {
    this.contentType = contentType;
    this.begin = begin;
  }
}

/**
 * Text in chunks. The first is awaited, so that an early failure is still a refusal; a later one closes the connection. A client
 * that leaves ends the source.
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
        // A reader that gets neither more nor the end would not ask again.
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
