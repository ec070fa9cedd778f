/**
 * Reads a transcript of events in file order, because parent ids are not reliable. The first pass finds the messages,
 * the second builds them.
 */
import { closeSync } from "node:fs";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { readAt, readLines } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { type CopilotEvent, isIgnored, parseEvent, type Saying, typeOf } from "./format.ts";
import type { HeadBuilder } from "./head.ts";
import type { Ledger } from "./ledger.ts";
import { buildReply, buildResult, type EntryKind, type FinishedCall, kindOf } from "./message.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

interface Place {
  offset: number;
  length: number;
}

interface Entry extends Place {
  kind: EntryKind;
  /** The current model, for replies without one. */
  model: string | undefined;
}

interface Call {
  name: string | undefined;
  startMs: number | undefined;
  endMs: number | undefined;
  result: Place | undefined;
}

const NO_CALL: Call = { name: undefined, startMs: undefined, endMs: undefined, result: undefined };

interface Subagent {
  label: string | undefined;
  toolCallId: string | undefined;
  model: string | undefined;
  entries: Entry[];
}

export class EventsFile {
  readonly path: string;
  readonly entries: Entry[] = [];
  readonly #ledger: Ledger;
  readonly #subagents = new Map<string, Subagent>();
  readonly #calls = new Map<string, Call>();
  readonly #seen = new Set<string>();
  /** The number of entries at the time of the fork; all of them are copies. */
  #inherited = 0;

  /** Throws when the file cannot be opened. */
  constructor(path: string, sessionId: string, head: HeadBuilder, ledger: Ledger, notes: ReadNotes) {
    this.path = path;
    this.#ledger = ledger;
    for (const line of readLines(path, { onLongLine: () => notes.damage(path) })) {
      const type = typeOf(line.bytes);
      if (type !== undefined && isIgnored(type)) continue;
      const event = parseEvent(line.bytes);
      if (event === undefined) {
        if (line.complete) notes.damage(path);
        continue;
      }
      if (event.said === undefined) {
        if (!isIgnored(event.type)) notes.unknown(event.type);
        continue;
      }
      if (this.#isRepeated(event)) continue;
      head.see(event);
      ledger.see(event, sessionId, head.currentModel);
      if (event.said.kind === "fork") {
        this.#inherited = this.entries.length;
        ledger.seeFork();
      }
      this.#seeCall(event, { offset: line.offset, length: line.bytes.length });
      this.#addEntry(event, { offset: line.offset, length: line.bytes.length }, head.currentModel);
    }
  }

  /** 0.0.343 writes the first lines of a file twice. */
  #isRepeated({ id }: CopilotEvent): boolean {
    if (id === undefined) return false;
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }

  #addEntry(event: CopilotEvent, place: Place, model: string | undefined): void {
    if (event.said?.kind === "subagent") this.#startSubagent(event.said, event.subagent);
    const kind = kindOf(event);
    if (kind === undefined) return;
    const entry: Entry = { ...place, kind, model };
    if (event.subagent === undefined) this.entries.push(entry);
    else this.#subagent(event.subagent).entries.push(entry);
  }

  #startSubagent({ callId, label, model }: Saying<"subagent">, subagent: string | undefined): void {
    const id = subagent ?? callId;
    if (id === undefined) return;
    Object.assign(this.#subagent(id), { label, toolCallId: callId, model });
  }

  #subagent(id: string): Subagent {
    const known = this.#subagents.get(id);
    if (known) return known;
    const created: Subagent = { label: undefined, toolCallId: undefined, model: undefined, entries: [] };
    this.#subagents.set(id, created);
    return created;
  }

  #seeCall({ said, at }: CopilotEvent, place: Place): void {
    if (said?.kind !== "call" && said?.kind !== "allowed" && said?.kind !== "result") return;
    if (said.callId === undefined) return;
    const call: Call = this.#calls.get(said.callId) ?? NO_CALL;
    // The wait for permission does not count as the tool's time.
    const told = said.kind === "result" ? { endMs: at, result: place } : { startMs: at };
    this.#calls.set(said.callId, { ...call, ...told, ...(said.kind === "call" ? { name: said.name } : {}) });
  }

  messages(): Iterable<SessionMessage> {
    return this.#build(this.entries, this.#inherited);
  }

  subagents(): SubagentTranscript[] {
    return [...this.#subagents].map(([id, { label, toolCallId, model, entries }]) => {
      return {
        id,
        messages: [...this.#build(entries)],
        ...optional("label", label),
        ...optional("toolCallId", toolCallId),
        ...optional("model", model),
      };
    });
  }

  *#build(entries: readonly Entry[], inherited = 0): Generator<SessionMessage> {
    const fd = openForReading(this.path);
    try {
      for (const [index, entry] of entries.entries()) {
        const event = eventAt(fd, entry);
        // A rewind truncates the file; later offsets are then invalid.
        if (event === undefined) continue;
        const message = this.#message(fd, entry, event);
        if (message === undefined) continue;
        if (event.at !== undefined) message.timestamp = new Date(event.at);
        if (index < inherited) message.inherited = true;
        yield message;
      }
    } finally {
      closeSync(fd);
    }
  }

  #message(fd: number, { model }: Entry, { said }: CopilotEvent): SessionMessage | undefined {
    switch (said?.kind) {
      case "prompt":
        return { role: "user", content: said.text };
      case "reply": {
        const tokens = this.#ledger.tokensOf(said.apiCallId);
        return buildReply(said, model, tokens, (callId) => this.#finishedCall(fd, callId));
      }
      case "result":
        return buildResult(said, this.#calls.get(said.callId ?? "")?.name);
      case "notice":
        return { role: "system", content: said.text };
      case "compaction":
        return { role: "system", content: said.summary ?? "" };
      default:
        return undefined;
    }
  }

  #finishedCall(fd: number, callId: string): FinishedCall {
    const call = this.#calls.get(callId);
    const { startMs, endMs } = call ?? {};
    const result = call?.result && eventAt(fd, call.result)?.said;
    return {
      name: call?.name,
      result: result?.kind === "result" ? result : undefined,
      durationMs: startMs === undefined || endMs === undefined || endMs < startMs ? undefined : endMs - startMs,
    };
  }
}

function eventAt(fd: number, { offset, length }: Place): CopilotEvent | undefined {
  return parseEvent(readAt(fd, offset, length));
}
