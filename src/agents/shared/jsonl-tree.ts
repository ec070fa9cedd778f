/**
 * Reader of JSONL trees (Pi, omp, OpenClaw) over any store that can yield its records in order, repeatedly. Memory holds an
 * index, not the session.
 */
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import type { SessionHead, SessionReader, UsageRecord } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import {
  createEntryReader,
  isAnswer,
  isBeside,
  isKnownType,
  modelOf,
  readTreeEntry,
  selectedModel,
  type TreeEntry,
  type TreeHeader,
} from "./tree-format.ts";
import { TreeHeadCollector } from "./tree-head.ts";
import { joinedMessages, messagesOf, usageRecordOf, type UserText } from "./tree-messages.ts";

/** A store of records, in order. `Place` locates a record. */
export interface RecordSource<Place> {
  scan(): Iterable<{ record: Json; place: Place }>;
  /** The records at these places, in this order; undefined for one that is gone. */
  fetch(places: readonly Place[]): Iterable<Json | undefined>;
}

export interface TreeOptions {
  /** Removes what the agent added to a user's prompt; undefined if no user wrote it. */
  userText?: UserText;
  /** Which branch is the conversation; default `last-entry`, as in the agents. */
  leaf?: "last-entry" | "newest";
  /** Entry types of this agent without message or usage. */
  silentTypes?: ReadonlySet<string>;
  /** Whether an entry was copied from another session; default: entries older than a fork's header. */
  isCopied?: (entry: TreeEntry, header: TreeHeader | undefined) => boolean;
}

export interface TreeReader extends SessionReader {
  copyUpTo(last: number): Iterable<string>;
  promptAfter(last: number): string | undefined;
  readonly header: TreeHeader | undefined;
  counts(): { messageCount: number; turnCount: number };
}

/** A session from records in memory, e.g. rows of a table. */
export function memoryRecords(records: readonly Json[]): RecordSource<Json> {
  return {
    *scan() {
      for (const record of records) yield { record, place: record };
    },
    fetch: (places) => places,
  };
}

/** Reads a session in full. Undefined if it has no messages. */
export function openTree<Place>(
  source: RecordSource<Place>,
  notes: ReadNotes,
  options: TreeOptions = {},
): TreeReader | undefined {
  const tree = new EntryTree<Place>();
  const collector = new TreeHeadCollector(options.userText);
  const usage = new Map<string, UsageRecord>();
  for (const { record, place } of source.scan()) {
    const entry = collector.see(record);
    if (entry === undefined) continue;
    if (!isKnownType(entry.type) && options.silentTypes?.has(entry.type) !== true) notes.unknown(entry.type);
    const modelBefore = tree.get(entry.parentId)?.model;
    const billed = usageRecordOf(entry, modelBefore);
    if (billed && !usage.has(billed.key)) {
      usage.set(billed.key, isCopied(entry, collector.header, options) ? { ...billed, copied: true } : billed);
    }
    const roles = messagesOf(entry, options.userText).map((message) => message.role);
    tree.add(entry, { place, model: modelAfter(entry) ?? modelBefore, roles });
  }
  if (!collector.hasConversation) return undefined;

  const { header } = collector;
  const path = options.leaf === "newest" ? tree.newestPath() : tree.activePath();
  const beside = (): TreeNode<Place>[] => {
    const onPath = new Set(path);
    return tree.nodes.filter((node) => !onPath.has(node));
  };
  const messagesAlong = (nodes: readonly TreeNode<Place>[]): Generator<SessionMessage> =>
    joinedMessages(entriesAt(source, nodes), {
      ...(options.userText ? { userText: options.userText } : {}),
      isInherited: (entry) => isCopied(entry, header, options),
    });
  const { head, records } = withoutUnknown(collector.head(), [...usage.values()]);
  return {
    header,
    head,
    messages: () => messagesAlong(path),
    aside: () => ({ count: countsOf(beside()).messageCount, messages: () => messagesAlong(beside()) }),
    usage: () => records,
    raw: () => Array.from(source.scan(), ({ record }) => record),
    counts: () => countsOf(path),
    copyUpTo: (last) => linesUpTo(source, path, last),
    promptAfter: (last) => promptAfter(path, last),
  };
}

export interface TreeSummary {
  head: SessionHead;
  header: TreeHeader | undefined;
  /** Whether these records contain messages. */
  hasConversation: boolean;
}

/** Head of a session from some of its records, such as the first and last ones of a file. */
export function summarizeTree(records: Iterable<Json>, options: Pick<TreeOptions, "userText"> = {}): TreeSummary {
  const collector = new TreeHeadCollector(options.userText);
  for (const record of records) collector.see(record);
  return { head: collector.head(), header: collector.header, hasConversation: collector.hasConversation };
}

function* entriesAt<Place>(source: RecordSource<Place>, path: readonly TreeNode<Place>[]): Generator<TreeEntry> {
  for (const record of source.fetch(path.map((node) => node.place))) {
    const entry = record && readTreeEntry(record);
    if (entry) yield entry;
  }
}

/** Native records: non-entries (the header), and the entries of the path up to the message's. */
function* linesUpTo<Place>(
  source: RecordSource<Place>,
  path: readonly TreeNode<Place>[],
  last: number,
): Generator<string> {
  const kept = new Set<string>();
  let next = 0;
  for (const { id, roles } of path) {
    if (next > last) break;
    next += roles.length;
    kept.add(id);
  }
  // Numbers entries without id in the same way as when the path was found.
  const read = createEntryReader();
  for (const { record } of source.scan()) {
    const entry = read(record);
    if (entry === undefined || kept.has(entry.id)) yield `${JSON.stringify(record)}\n`;
  }
}

function promptAfter(path: readonly TreeNode<unknown>[], last: number): string | undefined {
  let next = 0;
  for (const { id, roles } of path) {
    if (next > last && roles.length > 0) return roles[0] === "user" ? id : undefined;
    next += roles.length;
  }
  return undefined;
}

function isCopied(entry: TreeEntry, header: TreeHeader | undefined, options: TreeOptions): boolean {
  if (options.isCopied) return options.isCopied(entry, header);
  if (header?.parentSession === undefined || header.startedMs === undefined) return false;
  return entry.at !== undefined && entry.at < header.startedMs;
}

function modelAfter(entry: TreeEntry): string | undefined {
  return isAnswer(entry) ? modelOf(entry.message!) : selectedModel(entry);
}

/** Without any counts the whole cost is unknown; single empty records would obscure that. */
function withoutUnknown(head: SessionHead, records: UsageRecord[]): { head: SessionHead; records: UsageRecord[] } {
  if (records.length === 0 || records.some((record) => !record.unknown)) return { head, records };
  return { head: { ...head, usageUnknown: true }, records: [] };
}

function countsOf(path: readonly TreeNode<unknown>[]): { messageCount: number; turnCount: number } {
  return countMessages(path.flatMap((node) => node.roles.map((role) => ({ role }))));
}

/** The index data of an entry; `place` locates its record. */
interface TreeNode<Place> {
  id: string;
  parentId: string | null;
  at: number | undefined;
  place: Place;
  /** Model in use after this entry, on this branch. */
  model: string | undefined;
  /** Roles of this entry's messages. */
  roles: readonly MessageRole[];
}

/** The structure of a tree without its contents: its entries, and which of them are the conversation. */
class EntryTree<Place> {
  readonly nodes: TreeNode<Place>[] = [];
  readonly #byId = new Map<string, number>();
  #leaf = -1;

  add(entry: TreeEntry, node: Omit<TreeNode<Place>, "id" | "parentId" | "at">): void {
    // As in Pi, the later of two entries with the same id wins.
    this.#byId.set(entry.id, this.nodes.length);
    if (!isBeside(entry)) this.#leaf = this.nodes.length;
    this.nodes.push({ id: entry.id, parentId: entry.parentId ?? null, at: entry.at, ...node });
  }

  /** The entry with this id so far. */
  get(id: string | null | undefined): TreeNode<Place> | undefined {
    const index = id == null ? undefined : this.#byId.get(id);
    return index === undefined ? undefined : this.nodes[index];
  }

  /** Root to leaf as the agent loads it: the last entry of the file is the leaf, of any type. */
  activePath(): TreeNode<Place>[] {
    return this.#pathTo(this.#leaf);
  }

  /** Root to leaf by the documented rule: the newest child at each fork. */
  newestPath(): TreeNode<Place>[] {
    const children = new Map<number, number>();
    for (let index = 0; index < this.nodes.length; index++) {
      const parent = this.#parentIndex(index) ?? -1;
      const best = children.get(parent);
      if (best === undefined || timeOf(this.nodes[index]!) >= timeOf(this.nodes[best]!)) children.set(parent, index);
    }
    let leaf = children.get(-1);
    const seen = new Set<number>();
    for (let next = leaf; next !== undefined && !seen.has(next); next = children.get(next)) {
      seen.add(next);
      leaf = next;
    }
    return leaf === undefined ? [] : this.#pathTo(leaf);
  }

  #pathTo(leaf: number): TreeNode<Place>[] {
    const path: TreeNode<Place>[] = [];
    // Parents come from the file, so they may form a cycle.
    const seen = new Set<number>();
    for (let index: number | undefined = leaf; index !== undefined && index >= 0 && !seen.has(index);) {
      seen.add(index);
      path.push(this.nodes[index]!);
      index = this.#parentIndex(index);
    }
    return path.reverse();
  }

  /**
   * A missing parent was on a damaged line, or was a label that a fork omitted without relinking. In both cases the conversation
   * continues from the previous entry.
   */
  #parentIndex(index: number): number | undefined {
    const { parentId } = this.nodes[index]!;
    if (parentId === null) return undefined;
    return this.#byId.get(parentId) ?? (index > 0 ? index - 1 : undefined);
  }
}

function timeOf(node: TreeNode<unknown>): number {
  return node.at ?? 0;
}
