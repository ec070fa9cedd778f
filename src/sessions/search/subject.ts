/** Reading one session to the end, for an exact answer. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Catalog } from "../catalog.ts";
import { documentOf, messagesOf, textsOf } from "./document.ts";
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
    const facts = factsOf(adapter.name, source, head);
    const texts = adapter.history!.texts?.(source, env, notes, placesOnly ? matcher.fileTest : undefined);
    if (texts) return matcher.match(facts, placesOnly ? messagesOf(texts) : documentOf(texts), placesOnly);
    const reader = adapter.history!.read(source, env, notes, "text");
    return reader && matcher.match(facts, documentOf(textsOf(reader)), placesOnly);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}
