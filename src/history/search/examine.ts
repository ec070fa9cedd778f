/** Reads one session in full for an exact answer. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { Catalog } from "../catalog.ts";
import { documentOf, textsIn } from "./document.ts";
import type { Found } from "./results.ts";
import type { Findings, Matcher } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";
import { factsOf } from "./filter.ts";

export interface Subject {
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
}

/** Finds the matches in the messages that can contain them. Undefined if the session must be read. */
export function examineMapped(subject: Subject, matcher: Matcher, found: Pick<Found, "map">): Findings | undefined {
  const { adapter } = subject.catalog;
  const map = adapter.history?.indexed && matcher.mapped && found.map?.();
  return map && byMap(subject, matcher, map);
}

function byMap({ catalog, source, head }: Subject, matcher: Matcher, map: MessageMap): Findings | undefined {
  const { adapter } = catalog;
  const mapped = matcher.mapped!;
  try {
    const messages = mapped.of(adapter.history!, source, map);
    const findings = matcher.match(factsOf(adapter.name, source, head), messages, true);
    return mapped.isUnfit ? undefined : findings;
  } catch (error) {
    // Gone or unreadable: the full reader reports it.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) return undefined;
    throw error;
  }
}

/** Undefined if the session cannot be read, which is noted, or holds no conversation. */
export function examine(
  { catalog, source, head }: Subject,
  matcher: Matcher,
  placesOnly = false,
): Findings | undefined {
  const { adapter, notes } = catalog;
  try {
    const facts = factsOf(adapter.name, source, head);
    const texts = textsIn(catalog, source);
    return texts && matcher.match(facts, documentOf(texts), placesOnly);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}
