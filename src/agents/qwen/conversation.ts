/** The messages of a chat: the records from its root to its last one. A rewind leaves the others aside. */
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { answerMessage, CallIndex, tokenUsage, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { outputOf } from "../shared/parts-format.ts";
import {
  billOf,
  hasFailed,
  idOf,
  imagesOf,
  isTitle,
  kindOf,
  modelOf,
  noticeOf,
  originOf,
  parentOf,
  promptOf,
  replyOf,
  resultsOf,
  timeOf,
  type RecordKind,
} from "./format.ts";

export interface Node<Place> {
  place: Place;
  parent: Node<Place> | undefined;
  kind: RecordKind | undefined;
  /** Number of messages. */
  count: number;
}

/** The tree of a chat's records. A record whose parent was lost continues the one before it. */
export class RecordTree<Place> {
  readonly nodes: Node<Place>[] = [];
  readonly #byId = new Map<string, Node<Place>>();
  #leaf: Node<Place> | undefined;

  add(record: Json, place: Place): void {
    const kind = kindOf(record);
    const parentId = parentOf(record);
    const parent = parentId === undefined ? undefined : (this.#byId.get(parentId) ?? this.nodes.at(-1));
    const node = { place, parent, kind, count: countIn(kind, record) };
    this.nodes.push(node);
    // Nothing continues a title.
    if (!isTitle(record)) this.#leaf = node;
    const id = idOf(record);
    if (id !== undefined) this.#byId.set(id, node);
  }

  /** The conversation, oldest first. */
  path(): Node<Place>[] {
    const path: Node<Place>[] = [];
    const seen = new Set<Node<Place>>();
    for (let node = this.#leaf; node !== undefined && !seen.has(node); node = node.parent) {
      seen.add(node);
      path.push(node);
    }
    return path.reverse();
  }
}

function countIn(kind: RecordKind | undefined, record: Json): number {
  if (kind === "results") return resultsOf(record).length;
  return kind === undefined || kind === "billed" || kind === "silent" ? 0 : 1;
}

/** The roles of the messages, without loading anything. */
export function* rolesOf(nodes: readonly Node<unknown>[]): Generator<{ role: MessageRole }> {
  for (const { kind, count } of nodes) {
    const role = kind === "prompt" ? "user" : kind === "reply" ? "assistant" : kind === "results" ? "tool" : "system";
    for (let left = count; left > 0; left--) yield { role };
  }
}

/** A reply is held back until its results are known. */
export function* messagesOf(records: Iterable<Json | undefined>): Generator<SessionMessage> {
  const calls = new CallIndex();
  let held: SessionMessage[] = [];
  for (const record of records) {
    if (record === undefined) continue;
    const kind = kindOf(record);
    if (kind !== "results") {
      yield* held;
      held = [];
    }
    const at = timeOf(record);
    const isInherited = originOf(record) !== undefined;
    const common = { ...withTimestamp(at), ...(isInherited ? { inherited: true } : {}) };
    if (kind === "prompt") held.push({ role: "user", content: promptOf(record), ...common, ...imagesOf(record) });
    else if (kind === "summary" || kind === "notice") {
      held.push({ role: "system", content: noticeOf(record), ...common });
    } else if (kind === "reply") {
      const message = replyMessage(record, common);
      calls.add(message.toolCalls ?? [], at);
      held.push(message);
    } else if (kind === "results") {
      const isError = hasFailed(record);
      for (const { id, name, response } of resultsOf(record)) {
        const output = outputOf(response);
        calls.answer(id, output, isError, at);
        held.push(toolMessage({ toolCallId: id, toolName: name, output, isError }, common));
      }
    }
  }
  yield* held;
}

function replyMessage(record: Json, common: Partial<SessionMessage>): SessionMessage {
  const { content, thinking, calls } = replyOf(record);
  const bill = billOf(record);
  return answerMessage(
    {
      content,
      thinking,
      toolCalls: calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, input })),
      model: modelOf(record),
      tokenUsage: bill && tokenUsage(bill.tokens),
    },
    common,
  );
}
