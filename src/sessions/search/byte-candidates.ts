/** Which sessions must be read, as far as their bytes tell: the filter with what adapters say about their files. */
import type { SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import { ByteFilter } from "./byte-filter.ts";
import { originNamedIn } from "./origins.ts";
import type { Plan } from "./plan.ts";

export class ByteCandidates {
  readonly #filter: ByteFilter;
  readonly #isUseful: boolean;
  /** Agents in whose files titles of other sessions were met. */
  readonly withForeignTitles = new Set<string>();

  constructor(plan: Plan) {
    this.#filter = new ByteFilter(plan);
    this.#isUseful = this.#filter.isUseful;
  }

  get bytesRead(): number {
    return this.#filter.bytesRead;
  }

  /** Whether sessions of this agent can be told from their bytes at all. */
  canTell({ adapter }: Catalog): boolean {
    return this.#isUseful && adapter.history?.bytes !== undefined;
  }

  /** False only when the session cannot be found. Undecided: that takes the files of a session which is not in the catalog. */
  mayMatch(catalog: Catalog, source: SessionSource): boolean | "undecided" {
    if (!this.canTell(catalog)) return true;
    const bytes = catalog.adapter.history!.bytes!;
    const chain = [source];
    for (;;) {
      const parts = chain.map((part) => bytes.files(part));
      if (parts.includes(undefined)) return true;
      const { mayMatch, headers, hasTitles } = this.#filter.look({
        paths: parts.flatMap((paths) => paths!),
        text: `${chain.map((part) => bytes.text?.(part) ?? "").join(" ")} ${bytes.ownWords ?? ""}`,
        originMark: bytes.origin?.mark,
        titleMark: bytes.foreignTitles,
      });
      if (hasTitles) this.withForeignTitles.add(catalog.adapter.name);
      if (mayMatch) return true;
      // Some of the words may be where the conversation begins.
      const origins = headers.map((header) => originNamedIn(catalog, header));
      const further = origins.filter((origin) => origin === undefined || !chain.includes(origin));
      if (further.length === 0) return false;
      if (further.includes(undefined)) return "undecided";
      chain.push(...new Set(further as SessionSource[]));
    }
  }
}
