/**
 * The exact answer for one session, from its document: the value of each leaf, counts for ranking, and positions for snippets.
 * Both the scan and the index use it for sessions they cannot decide.
 */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { Catalog } from "../catalog.ts";
import type { MessageField, Sequence } from "./query.ts";
import { documentOf, type DocumentMessage } from "./document.ts";
import { answerOf, NO, YES, type Plan, TITLE_WEIGHT } from "./plan.ts";
import { holds, SequenceFinder, type Finds } from "./phrase.ts";
import { factsOf, fitsField, type SearchFacts } from "./filter.ts";
import { BestMessages, type Place, type Stretch } from "./snippets.ts";

export interface Findings {
  /** Whether the session matches. */
  found: boolean;
  /** By text leaf: passages with all its words; the title counts with its weight. */
  passages: number[];
  /** Positions in the whole document. */
  length: number;
  /** Every model that answered in it. */
  models: string[];
  places: Place[];
}

export class Matcher {
  readonly #plan: Plan;
  readonly #texts: { leaf: number; sequence: Sequence; within: readonly MessageField[]; wanted: boolean }[] = [];
  readonly #finder: SequenceFinder;

  constructor(plan: Plan) {
    this.#plan = plan;
    for (const [index, leaf] of plan.leaves.entries()) {
      if (leaf.kind !== "text") continue;
      this.#texts.push({ leaf: index, sequence: leaf.text, within: leaf.within, wanted: leaf.wanted });
    }
    this.#finder = new SequenceFinder(this.#texts.map(({ sequence }) => sequence));
  }

  /**
   * `placesOnly`: the session is known to match and only positions are wanted. Reading stops early, and other results are
   * incomplete.
   */
  match(facts: SearchFacts, document: Iterable<DocumentMessage>, placesOnly = false): Findings {
    const { leaves, root } = this.#plan;
    const truth = new Uint8Array(leaves.length);
    const counter = new PassageCounter(this.#texts.map(({ sequence }) => sequence.steps.length));
    const onStep: Finds["onStep"] = (text, step) => counter.see(text, step);
    let length = this.#finder.search(facts.title, {
      onStep,
      onFound: (text) => {
        const { leaf, within } = this.#texts[text]!;
        if (within.length === 0) truth[leaf] = 1;
      },
    });
    counter.close(TITLE_WEIGHT);

    const models = new Set(facts.models);
    const places = new BestMessages();
    const wanted = this.#texts.filter((text) => text.wanted).length;
    for (const message of document) {
      if (message.model !== undefined) models.add(message.model);
      if (message.startsPassage) counter.close(1);
      const fitting = this.#fitting(message, truth);
      for (const part of message.parts) {
        length += this.#finder.search(part.text, {
          onStep,
          onFound: (text, start, end) => {
            if (!fitting[text]) return;
            const { leaf, wanted } = this.#texts[text]!;
            truth[leaf] = 1;
            if (wanted) places.see(message, part, leaf, start, end);
          },
        });
      }
      // Before the next one is created.
      if (placesOnly && places.isFull(wanted)) break;
    }
    counter.close(1);

    const known: SearchFacts = { ...facts, models: [...models] };
    const passages = leaves.map(() => 0);
    for (const [text, { leaf }] of this.#texts.entries()) passages[leaf] = counter.counts[text]!;
    const found = answerOf(root, (index) => {
      const leaf = leaves[index]!;
      const isTrue = leaf.kind === "session" ? fitsField(leaf.test, known) : truth[index] === 1;
      return isTrue ? YES : NO;
    });
    return {
      found: placesOnly || found === YES,
      passages,
      length,
      models: [...models],
      places: places.best(),
    };
  }

  /** Positions of the highlighted words in a title. */
  marksIn(title: string): Stretch[] {
    const marks: Stretch[] = [];
    this.#finder.search(title, {
      onFound: (text, start, end) => {
        const { within, wanted } = this.#texts[text]!;
        if (wanted && within.length === 0) marks.push({ start, end });
      },
    });
    return marks;
  }

  /** By text: whether its words count in this message. Also records which `message` leaves are true of it. */
  #fitting(message: DocumentMessage, truth: Uint8Array): boolean[] {
    for (const [index, leaf] of this.#plan.leaves.entries()) {
      if (leaf.kind === "message" && truth[index] === 0 && fits(message, leaf.within)) truth[index] = 1;
    }
    return this.#texts.map(({ within }) => fits(message, within));
  }
}

function fits(message: DocumentMessage, within: readonly MessageField[]): boolean {
  return within.every((field) => {
    if (field.field === "role") return field.roles.includes(message.role);
    const names = field.field === "tool" ? message.tools : message.files();
    return field.anyOf.some((sequence) => names.some((name) => holds(name, sequence)));
  });
}

/** Counts the passages that contain every step of a text. */
class PassageCounter {
  readonly counts: number[];
  readonly #seen: Uint8Array[];
  readonly #missing: number[];

  constructor(stepCounts: readonly number[]) {
    this.counts = stepCounts.map(() => 0);
    this.#seen = stepCounts.map((count) => new Uint8Array(count));
    this.#missing = [...stepCounts];
  }

  see(text: number, step: number): void {
    const seen = this.#seen[text]!;
    if (seen[step] === 1) return;
    seen[step] = 1;
    this.#missing[text]!--;
  }

  close(weight: number): void {
    for (const [text, seen] of this.#seen.entries()) {
      if (this.#missing[text] === 0) this.counts[text]! += weight;
      if (this.#missing[text] === seen.length) continue;
      this.#missing[text] = seen.length;
      seen.fill(0);
    }
  }
}

export interface Subject {
  catalog: Catalog;
  source: SessionSource;
  head: SessionHead;
}

/** Reads a session. Undefined if that is impossible, which is noted, or if it holds no conversation. */
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
