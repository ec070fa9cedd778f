/** Reading one session to the end, for an exact answer. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Catalog } from "../catalog.ts";
import { documentOf, messagesOf, textsOf } from "./document.ts";
import type { Found } from "./found.ts";
import { MapUnfit } from "./mapped-messages.ts";
import type { Findings, Matcher } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";
import { factsOf } from "./session-fields.ts";

export interface Subject {
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
}

/** Where the words are, by looking at nothing but the messages that can hold them. Undefined: the session has to be read. */
export function examineMapped(subject: Subject, matcher: Matcher, found: Pick<Found, "map">): Findings | undefined {
  const { adapter } = subject.catalog;
  const map = adapter.history?.indexed && matcher.mapped && found.map?.();
  return map && byMap(subject, matcher, map);
}

function byMap({ catalog, source, head }: Subject, matcher: Matcher, map: MessageMap): Findings | undefined {
  const { adapter } = catalog;
  try {
    const messages = matcher.mapped!.of(adapter.history!, source, map);
    return matcher.match(factsOf(adapter.name, source, head), messages, true);
  } catch (error) {
    if (isUnfit(error)) return undefined;
    throw error;
  }
}

/** The map, or the file: changed meanwhile, or not to be opened. Whoever reads it tells. */
function isUnfit(error: unknown): boolean {
  return error instanceof MapUnfit || (error as NodeJS.ErrnoException).syscall !== undefined;
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
    const texts = adapter.history!.indexed?.texts(source, env, notes);
    if (texts) return matcher.match(facts, placesOnly ? messagesOf(texts) : documentOf(texts), placesOnly);
    const reader = adapter.history!.read(source, env, notes, "text");
    return reader && matcher.match(facts, documentOf(textsOf(reader)), placesOnly);
  } catch (error) {
    notes.skip(source.path, errorText(error));
    return undefined;
  }
}
