/**
 * A transcript of events. The first pass notes where each part of the conversation lies and feeds the head and the
 * ledger; the second builds messages from those places. The order of the file is the order of the conversation: ids
 * of parents point to events that were never written, or to later ones.
 */
import { closeSync } from "node:fs";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { asText } from "../../lib/json/fields.ts";
import { readAt, readLines } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { type CopilotEvent, forkedFrom, isIgnored, parseEvent, typeOf, USED_TYPES } from "./event.ts";
import type { HeadBuilder } from "./head.ts";
import type { Ledger } from "./ledger.ts";
import {
  buildNotice,
  buildPrompt,
  buildReply,
  buildResult,
  type EntryKind,
  type FinishedCall,
  kindOf,
} from "./message.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

interface Place {
  offset: number;
  length: number;
}

interface Entry extends Place {
  kind: EntryKind;
  /** The model in use, for replies that do not name theirs. */
  model: string | undefined;
}

interface Call {
  name: string | undefined;
  startMs: number | undefined;
  endMs: number | undefined;
  result: Place | undefined;
}

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
  /** How many entries were there when the session was forked: copies all. */
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
      if (!USED_TYPES.has(event.type)) {
        if (!isIgnored(event.type)) notes.unknown(event.type);
        continue;
      }
      if (this.#isRepeated(event)) continue;
      head.see(event);
      ledger.see(event, sessionId, head.currentModel);
      if (forkedFrom(event) !== undefined) {
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
    if (event.type === "subagent.started") this.#startSubagent(event);
    const kind = kindOf(event);
    if (kind === undefined) return;
    const entry: Entry = { ...place, kind, model };
    if (event.subagent === undefined) this.entries.push(entry);
    else this.#subagent(event.subagent).entries.push(entry);
  }

  #startSubagent({ data, subagent }: CopilotEvent): void {
    const toolCallId = asText(data["toolCallId"]);
    const id = subagent ?? toolCallId;
    if (id === undefined) return;
    const started = this.#subagent(id);
    started.label = asText(data["agentDisplayName"]) ?? asText(data["agentName"]);
    started.toolCallId = toolCallId;
    started.model = asText(data["model"]);
  }

  #subagent(id: string): Subagent {
    const known = this.#subagents.get(id);
    if (known) return known;
    const created: Subagent = { label: undefined, toolCallId: undefined, model: undefined, entries: [] };
    this.#subagents.set(id, created);
    return created;
  }

  #seeCall({ type, data, at }: CopilotEvent, place: Place): void {
    const callId = asText(data["toolCallId"]);
    if (callId === undefined) return;
    const call = this.#calls.get(callId) ?? {
      name: undefined,
      startMs: undefined,
      endMs: undefined,
      result: undefined,
    };
    if (type === "tool.execution_start") {
      call.name = asText(data["toolName"]);
      call.startMs = at;
      // What passes before the user allows it is not the tool's time.
    } else if (type === "permission.completed") call.startMs = at;
    else if (type === "tool.execution_complete") {
      call.endMs = at;
      call.result = place;
    } else return;
    this.#calls.set(callId, call);
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
        // The file is shortened by a rewind; then its later places are gone.
        if (event === undefined) continue;
        const message = this.#message(fd, entry, event);
        if (event.at !== undefined) message.timestamp = new Date(event.at);
        if (index < inherited) message.inherited = true;
        yield message;
      }
    } finally {
      closeSync(fd);
    }
  }

  #message(fd: number, entry: Entry, event: CopilotEvent): SessionMessage {
    switch (entry.kind) {
      case "prompt":
        return buildPrompt(event);
      case "reply": {
        const tokens = this.#ledger.tokensOf(asText(event.data["apiCallId"]));
        return buildReply(event, entry.model, tokens, (callId) => this.#finishedCall(fd, callId));
      }
      case "result":
        return buildResult(event, this.#calls.get(asText(event.data["toolCallId"]) ?? "")?.name);
      case "notice":
        return buildNotice(event);
    }
  }

  #finishedCall(fd: number, callId: string): FinishedCall {
    const call = this.#calls.get(callId);
    const { startMs, endMs } = call ?? {};
    return {
      name: call?.name,
      result: call?.result && eventAt(fd, call.result),
      durationMs: startMs === undefined || endMs === undefined || endMs < startMs ? undefined : endMs - startMs,
    };
  }
}

function eventAt(fd: number, { offset, length }: Place): CopilotEvent | undefined {
  return parseEvent(readAt(fd, offset, length));
}
