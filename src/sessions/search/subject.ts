/** One session as the search deals with it. */
import type { SessionHead, SessionReader, SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import { documentOf } from "./document.ts";
import type { Findings, Matcher } from "./matcher.ts";
import { factsOf, type SearchFacts } from "./session-fields.ts";

export interface Subject {
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
}

export function factsOfSubject({ catalog, source, head }: Subject): SearchFacts {
  return factsOf(catalog.adapter.name, source, head);
}

/** Reads the session and answers exactly. Undefined when it cannot be read; that is noted. */
export function examine(subject: Subject, matcher: Matcher): Findings | undefined {
  const { catalog, source } = subject;
  try {
    const reader: SessionReader | undefined = catalog.adapter.history!.read(source, catalog.env, catalog.notes);
    return reader && matcher.match(factsOfSubject(subject), documentOf(reader));
  } catch (error) {
    catalog.notes.skip(source.path, (error as Error).message);
    return undefined;
  }
}
