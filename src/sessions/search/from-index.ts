/** What the index says of sessions whose files it knows as they are now. Nothing is read. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { Filter } from "./filter.ts";
import { compare, NEWEST_FIRST, SPARE } from "./found.ts";
import type { FamiliesOfFound, Found, FoundSet, Order } from "./found.ts";
import type { SearchIndex } from "./index-reader.ts";
import type { Findings } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";
import { answerOf, MAYBE, NO, YES, type Answer, type Leaf, type Node, type Plan, type TextLeaf } from "./plan.ts";
import { HAS_CONVERSATION } from "./session-columns.ts";
import { isSo } from "./session-fields.ts";
import type { Shelf } from "./shelf.ts";

/** To be called inside a snapshot of the index. */
export function foundInIndex(shelf: Shelf, plan: Plan, filter: Filter): FoundSet {
  const index = shelf.index!;
  const counts = plan.leaves.map((leaf) => (leaf.kind === "text" ? index.passages(leaf.text) : undefined));
  const needed = neededCounts(plan.root, counts);
  const { newest, flags, created } = index.columns;
  const wanted = counts.filter((column, leaf) => column !== undefined && (plan.leaves[leaf] as TextLeaf).wanted);
  const found = new IndexedSet(shelf, (numbers) => index.ranking.scores(wanted as Int32Array[], numbers));
  const isOfWords = isWords(plan.root, plan.leaves);
  const { isKnown } = shelf;
  if (isOfWords && filter.passesAll) {
    found.addCertain(index.ranking.holding(counts as Int32Array[], isKnown));
    return found;
  }
  const lacks = isOfWords ? lacking(counts as Int32Array[], newest.length) : undefined;
  let number = 0;
  const ask = (leaf: number): Answer => answerOfLeaf(plan.leaves[leaf]!, counts[leaf], number, index);
  // An index: a typed array is gone through several times faster so.
  for (let place = 0; place < newest.length; place++) {
    number = newest[place]!;
    if ((lacks === undefined ? needed?.[number] === 0 : lacks[number] === 1) || isKnown[number] === 0) continue;
    if ((flags[number]! & HAS_CONVERSATION) === 0) continue;
    if (!filter.passesDate(created[number]!)) continue;
    if (filter.needsTags && !filter.passesUnread(index.agentOf(number), index.shown(number).sessionId)) continue;
    const answer = lacks === undefined ? answerOf(plan.root, ask) : YES;
    if (answer === NO) continue;
    if (filter.needsModels && !filter.passesModels(index.facts()[number]!.models)) continue;
    found.add(number, answer === YES);
  }
  return found;
}

/** Whether nothing is asked for but words, all of them: most questions are so. */
function isWords(root: Node, leaves: readonly Leaf[]): boolean {
  const parts = root.op === "all" ? root.of : [root];
  return (
    parts.every(({ op }) => op === "leaf") &&
    leaves.every((leaf) => leaf.kind === "text" && leaf.text.steps.length === 1 && leaf.within.length === 0)
  );
}

/** By number: 1 when one of the words is not there. */
function lacking(counts: readonly Int32Array[], sessions: number): Uint8Array {
  const lacks = new Uint8Array(sessions);
  for (const column of counts) {
    for (let number = 0; number < sessions; number++) if (column[number] === 0) lacks[number] = 1;
  }
  return lacks;
}

/** Of the word that every session which is found must have. Undefined: there is none. */
function neededCounts(node: Node, counts: readonly (Int32Array | undefined)[]): Int32Array | undefined {
  if (node.op === "leaf") return counts[node.leaf];
  if (node.op !== "all") return undefined;
  for (const part of node.of) {
    const needed = neededCounts(part, counts);
    if (needed) return needed;
  }
  return undefined;
}

/** Words of their own are told by the index; whether they stand together, and in which messages, is not. */
function answerOfLeaf(leaf: Leaf, counts: Int32Array | undefined, number: number, index: SearchIndex): Answer {
  if (leaf.kind === "session") return isSo(leaf.test, index.facts()[number]!) ? YES : NO;
  if (leaf.kind === "message") return MAYBE;
  if (counts![number] === 0) return NO;
  return leaf.text.steps.length === 1 && leaf.within.length === 0 ? YES : MAYBE;
}

/** Of these all that is shown is held at once. */
const MOST_PREPARED = 64;
const FEW_PREPARED = 8;

/** A word can be in all sessions; objects are made only of those that are looked at. */
class IndexedSet implements FoundSet {
  readonly #shelf: Shelf;
  /** Newest first. */
  #numbers: Int32Array;
  #certain: Uint8Array;
  readonly #scoresOf: (numbers: Int32Array) => Float64Array;
  /** By place, once somebody asks. */
  #scores: Float64Array | undefined;
  #length = 0;
  readonly #made = new Map<number, IndexedFound>();

  constructor(shelf: Shelf, scoresOfNumbers: (numbers: Int32Array) => Float64Array) {
    this.#shelf = shelf;
    this.#numbers = new Int32Array(shelf.isKnown.length);
    this.#certain = new Uint8Array(shelf.isKnown.length);
    this.#scoresOf = scoresOfNumbers;
  }

  /** After the last one was added. */
  get #allScores(): Float64Array {
    this.#scores ??= this.#scoresOf(this.#numbers.subarray(0, this.#length));
    return this.#scores;
  }

  add(number: number, certain: boolean): void {
    this.#numbers[this.#length] = number;
    this.#certain[this.#length++] = certain ? 1 : 0;
  }

  /** What many questions come to. */
  addCertain(numbers: Int32Array): void {
    this.#numbers = numbers;
    this.#certain = new Uint8Array(numbers.length).fill(1);
    this.#length = numbers.length;
  }

  #at(place: number): IndexedFound {
    let found = this.#made.get(place);
    if (found === undefined) {
      const number = this.#numbers[place]!;
      found = new IndexedFound(this.#shelf, number, this.#allScores[place]!, this.#certain[place] === 1);
      this.#made.set(place, found);
    }
    return found;
  }

  all(): Found[] {
    return this.#all();
  }

  #all(): IndexedFound[] {
    return Array.from({ length: this.#length }, (_, place) => this.#at(place));
  }

  *inOrder(order: Order, wanted: number): Generator<Found> {
    const many = SPARE * wanted;
    if (this.#length <= 2 * many) {
      yield* this.#prepared(
        this.#all().sort((a, b) => compare(a, b, order)),
        wanted,
      );
      return;
    }
    if (order === NEWEST_FIRST) {
      yield* this.#newest(many, wanted);
      return;
    }
    const great = this.#shelf.index!.ranking.greatest(this.#allScores, many);
    yield* this.#prepared(this.#sorted(great, order), wanted);
    const isGreat = new Uint8Array(this.#length);
    for (const place of great) isGreat[place] = 1;
    const others = this.#numbers.subarray(0, this.#length).map((_, place) => place);
    yield* this.#prepared(
      this.#sorted(
        others.filter((place) => isGreat[place] === 0),
        order,
      ),
      wanted,
    );
  }

  #sorted(places: Int32Array, order: Order): IndexedFound[] {
    return Array.from(places, (place) => this.#at(place)).sort((a, b) => compare(a, b, order));
  }

  /** With what will be shown of them loaded, some at a time. */
  *#prepared(found: readonly IndexedFound[], wanted: number): Generator<Found> {
    let step = Math.max(1, Math.min(wanted, MOST_PREPARED));
    for (let place = 0, end = 0; place < found.length; place++) {
      if (place === end) {
        end = place + step;
        this.#shelf.index!.prepare(found.slice(place, end).map(({ number }) => number));
        // Mostly those are enough, but for a few that are copies.
        step = place === 0 ? FEW_PREPARED : Math.min(2 * step, MOST_PREPARED);
      }
      yield found[place]!;
    }
  }

  /** They are in this order already, but for those of the same moment. */
  *#newest(many: number, wanted: number): Generator<Found> {
    const { updated } = this.#shelf.index!.columns;
    for (let place = 0, end = 0; place < this.#length; place = end) {
      end = Math.min(place + many, this.#length);
      const least = updated[this.#numbers[end - 1]!]!;
      while (end < this.#length && least === updated[this.#numbers[end]!]) end++;
      const found = Array.from({ length: end - place }, (_, index) => this.#at(place + index));
      yield* this.#prepared(
        found.sort((a, b) => compare(a, b, NEWEST_FIRST)),
        wanted,
      );
    }
  }

  families(): FamiliesOfFound {
    return new IndexedFamilies(this.#shelf.index!, this.#numbers.subarray(0, this.#length), (place) => this.#at(place));
  }
}

/** Of the sessions that hang together in the index, those that were found may hang together, or not. */
class IndexedFamilies implements FamiliesOfFound {
  readonly #index: SearchIndex;
  readonly #at: (place: number) => Found;
  readonly #numbers: Int32Array;
  /** By number: its place among those that were found, plus one. Undefined until somebody asks. */
  #places: Int32Array | undefined;
  readonly #familyOf = new Map<number, number>();
  readonly #members = new Map<number, number[]>();
  readonly #done = new Set<readonly number[]>();

  constructor(index: SearchIndex, numbers: Int32Array, at: (place: number) => Found) {
    this.#index = index;
    this.#at = at;
    this.#numbers = numbers;
  }

  #placesByNumber(): Int32Array {
    if (this.#places === undefined) {
      this.#places = new Int32Array(this.#index.size);
      for (let place = 0; place < this.#numbers.length; place++) this.#places[this.#numbers[place]!] = place + 1;
    }
    return this.#places;
  }

  familyOf(found: Found): number | undefined {
    const { number } = found as IndexedFound;
    // To know who hangs together with whom takes longer than to find most words.
    if (!this.#index.hasKin(number)) return undefined;
    const component = this.#index.kin.around(number);
    if (!this.#done.has(component)) this.#divide(component);
    return this.#familyOf.get(number);
  }

  #divide(component: readonly number[]): void {
    this.#done.add(component);
    const { kin } = this.#index;
    const places = this.#placesByNumber();
    const found = component.filter((number) => places[number] !== 0);
    for (const [number, family] of kin.rootsAmong(found)) {
      this.#familyOf.set(number, family);
      const members = this.#members.get(family);
      if (members) members.push(number);
      else this.#members.set(family, [number]);
    }
  }

  members(family: number): Found[] {
    const places = this.#placesByNumber();
    return this.#members.get(family)!.map((number) => this.#at(places[number]! - 1));
  }
}

class IndexedFound implements Found {
  readonly number: number;
  readonly score: number;
  readonly certain: boolean;
  readonly updatedMs: number;
  findings: Findings | undefined = undefined;
  readonly #shelf: Shelf;

  constructor(shelf: Shelf, number: number, score: number, certain: boolean) {
    this.#shelf = shelf;
    this.number = number;
    this.score = score;
    this.certain = certain;
    this.updatedMs = shelf.index!.columns.updated[number]!;
  }

  get catalog(): Catalog {
    return this.#shelf.catalog(this.number);
  }

  get source(): SessionSource {
    return this.#shelf.source(this.number);
  }

  get unifiedId(): string {
    const index = this.#shelf.index!;
    return joinUnifiedId(index.agentOf(this.number), index.shown(this.number).sessionId);
  }

  get family(): readonly string[] {
    return this.#shelf.index!.family(this.number);
  }

  map(): MessageMap | undefined {
    return this.#shelf.index!.map(this.number);
  }

  head(): SessionHead | undefined {
    return this.#shelf.index!.shown(this.number).head;
  }
}
