/**
 * Reads a transcript of events in file order, because parent ids are not reliable. The first pass finds the messages,
 * the second builds them.
 */
import type { MessageRole, SessionMessage, SessionToolCall, SubagentTranscript } from "../../core/session.ts";
import { loadingParts, readLines } from "../../lib/json/jsonl.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { answerMessage, tokenUsage, toolMessage } from "../shared/message-fields.ts";
import { type CopilotEvent, isIgnored, parseEvent, type Saying, typeOf } from "./format.ts";
import type { HeadBuilder } from "./head.ts";
import type { Ledger } from "./ledger.ts";
import { tokenCounts } from "./tokens.ts";

interface Place {
  offset: number;
  length: number;
}

type Load = (place: Place) => Buffer;

interface Entry extends Place {
  role: MessageRole;
  /** The current model, for replies without one. */
  model: string | undefined;
}

interface Call {
  name?: string | undefined;
  startMs?: number | undefined;
  endMs?: number | undefined;
  result?: Place;
}

interface Subagent {
  label?: string | undefined;
  toolCallId?: string | undefined;
  model?: string | undefined;
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
      const place = { offset: line.offset, length: line.bytes.length };
      this.#seeCall(event, place);
      this.#addEntry(event, place, head.currentModel);
    }
  }

  /** 0.0.343 writes the first lines of a file twice. */
  #isRepeated({ id }: CopilotEvent): boolean {
    if (id === undefined) return false;
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }

  #addEntry({ said, subagent }: CopilotEvent, place: Place, model: string | undefined): void {
    if (said?.kind === "subagent") {
      const id = subagent ?? said.callId;
      if (id !== undefined) {
        Object.assign(this.#subagent(id), { label: said.label, toolCallId: said.callId, model: said.model });
      }
    }
    const role = roleOf(said);
    if (role === undefined) return;
    const entries = subagent === undefined ? this.entries : this.#subagent(subagent).entries;
    entries.push({ ...place, role, model });
  }

  #subagent(id: string): Subagent {
    const subagent = this.#subagents.get(id) ?? { entries: [] };
    this.#subagents.set(id, subagent);
    return subagent;
  }

  #seeCall({ said, at }: CopilotEvent, place: Place): void {
    if (said?.kind !== "call" && said?.kind !== "allowed" && said?.kind !== "result") return;
    if (said.callId === undefined) return;
    // The wait for permission does not count as the tool's time.
    const told = said.kind === "result" ? { endMs: at, result: place } : { startMs: at };
    const name = said.kind === "call" ? { name: said.name } : {};
    this.#calls.set(said.callId, { ...this.#calls.get(said.callId), ...told, ...name });
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

  #build(entries: readonly Entry[], inherited = 0): Iterable<SessionMessage> {
    return loadingParts(this.path, (load) =>
      this.#messages(entries, inherited, ({ offset, length }) => load(offset, length)),
    );
  }

  *#messages(entries: readonly Entry[], inherited: number, load: Load): Generator<SessionMessage> {
    for (const [index, entry] of entries.entries()) {
      const event = parseEvent(load(entry));
      // A rewind truncates the file; later offsets are then invalid.
      if (event === undefined) continue;
      const message = this.#message(load, entry, event);
      if (message === undefined) continue;
      if (event.at !== undefined) message.timestamp = new Date(event.at);
      if (index < inherited) message.inherited = true;
      yield message;
    }
  }

  #message(load: Load, { model }: Entry, { said }: CopilotEvent): SessionMessage | undefined {
    switch (said?.kind) {
      case "prompt":
        return { role: "user", content: said.text };
      case "reply":
        return this.#reply(load, said, model);
      case "result": {
        const { callId = "", output, failed } = said;
        const toolName = this.#calls.get(callId)?.name ?? "";
        return toolMessage({ toolCallId: callId, toolName, output, isError: failed });
      }
      case "notice":
        return { role: "system", content: said.text };
      case "compaction":
        return { role: "system", content: said.summary ?? "" };
      default:
        return undefined;
    }
  }

  #reply(load: Load, said: Saying<"reply">, model: string | undefined): SessionMessage {
    const tokens = this.#ledger.tokensOf(said.apiCallId);
    const toolCalls = said.calls.map((call) => this.#call(load, call));
    return answerMessage({
      content: said.text,
      thinking: said.thinking,
      toolCalls,
      model: said.model ?? model,
      tokenUsage: tokens && tokenUsage(tokenCounts(tokens)),
    });
  }

  #call(load: Load, { id, name, input }: Saying<"reply">["calls"][number]): SessionToolCall {
    const { name: ranAs, startMs, endMs, result: place } = this.#calls.get(id) ?? {};
    const call = { toolCallId: id, toolName: name ?? ranAs ?? "", input };
    const result = place && parseEvent(load(place))?.said;
    if (result?.kind !== "result") return call;
    const isTimed = startMs !== undefined && endMs !== undefined && endMs >= startMs;
    return {
      ...call,
      output: result.output,
      ...(isTimed ? { durationMs: endMs - startMs } : {}),
      ...(result.failed ? { isError: true } : {}),
    };
  }
}

/** Undefined if the event is not part of the conversation. */
function roleOf(said: CopilotEvent["said"]): MessageRole | undefined {
  switch (said?.kind) {
    case "prompt":
      return "user";
    case "reply":
      return "assistant";
    case "result":
      return said.callId === undefined || said.isUsers ? undefined : "tool";
    case "notice":
      return "system";
    case "compaction":
      return said.summary === undefined ? undefined : "system";
    default:
      return undefined;
  }
}
