/** Reading one session to the end, for an exact answer. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Catalog } from "../catalog.ts";
import { documentOf } from "./document.ts";
import type { Findings, Matcher } from "./matcher.ts";
import { factsOf } from "./session-fields.ts";

export interface Subject {
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
}

/** Undefined when the session cannot be read, which is noted, or holds no conversation. */
export function examine(
  { catalog, source, head }: Subject,
  matcher: Matcher,
  placesOnly = false,
): Findings | undefined {
  const { adapter, env, notes } = catalog;
  try {
    const reader = adapter.history!.read(source, env, notes, "text");
    return reader && matcher.match(factsOf(adapter.name, source, head), documentOf(reader), placesOnly);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}
