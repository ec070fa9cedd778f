/** Which sessions must be read, as far as their bytes tell: the filter with what adapters say about their files. */
import type { ByteSearch, SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import { ByteFilter, type BytesOfSession } from "./byte-filter.ts";
import { originNamedIn } from "./origins.ts";
import type { Plan } from "./plan.ts";

export class ByteCandidates {
  readonly #filter: ByteFilter;
  /** Agents in whose files titles of other sessions were met. */
  readonly withForeignTitles = new Set<string>();

  constructor(plan: Plan) {
    this.#filter = new ByteFilter(plan);
  }

  /** Whether sessions of this agent can be told from their bytes at all. */
  canTell({ adapter }: Catalog): boolean {
    return this.#filter.isUseful && adapter.history?.bytes !== undefined;
  }

  /** False only when the session cannot be found. */
  mayMatch(catalog: Catalog, source: SessionSource): boolean {
    if (!this.canTell(catalog)) return true;
    const chain = [source];
    for (;;) {
      const session = bytesOf(catalog.adapter.history!.bytes!, chain);
      if (session === undefined) return true;
      const { mayMatch, headers, hasTitles } = this.#filter.look(session);
      if (hasTitles) this.withForeignTitles.add(catalog.adapter.name);
      if (mayMatch) return true;
      if (headers.length === 0) return false;
      // Some of the words may be where the conversation begins.
      const origins = headers.map((header) => originNamedIn(catalog, header));
      const further = origins.filter((origin) => origin === undefined || !chain.includes(origin));
      if (further.length === 0) return false;
      if (further.includes(undefined)) return true;
      chain.push(...new Set(further as SessionSource[]));
    }
  }
}

/** What the filter must know of a session, together with those it begins in. Undefined: one of them has to be read. */
export function bytesOf(bytes: ByteSearch, chain: readonly SessionSource[]): BytesOfSession | undefined {
  const paths: string[] = [];
  let text = bytes.ownWords ?? "";
  for (const source of chain) {
    const files = bytes.files(source);
    if (files === undefined) return undefined;
    paths.push(...files);
    if (bytes.text !== undefined) text = `${bytes.text(source)} ${text}`;
  }
  return { paths, text, originMark: bytes.origin?.mark, titleMark: bytes.foreignTitles };
}
