/**
 * Detects records that another thread wrote: before forks became references, Codex copied the parent's records. The signs are
 * turn ids older than the thread, else older times, else the burst in which copies are written.
 */
import { headerOf, KIND, TURN_OPENINGS } from "./format.ts";
import { turnIdOf } from "./format-items.ts";
import type { RolloutRecord } from "./rollout-record.ts";

/** Copied records are microseconds apart; before the first own turn a program starts or a person types. */
const BURST_GAP_MS = 100;
const STARTS_A_TURN: ReadonlySet<string> = new Set([...TURN_OPENINGS, KIND.message, KIND.prompt]);

export class CopiedHistory {
  /** Threads whose headers were copied too, nearest first. */
  readonly ancestors: string[] = [];
  /** Forked from, or started by, another thread. */
  descends = false;
  isSubagent = false;
  agentPath: string | undefined;
  turnId: string | undefined;
  #threadId: string | undefined;
  #startedMs = 0;
  #copying = false;
  #lastMs: number | undefined;

  /** Takes the next record and returns whether it is a copy. */
  isCopy(record: RolloutRecord): boolean {
    if (record.type === KIND.header) return this.#takeHeader(record);
    const begunMs = this.#takeTurn(record);
    if (begunMs !== undefined) this.#copying = this.descends && begunMs < this.#startedMs;
    else if (this.#copying && STARTS_A_TURN.has(record.type)) this.#copying = !this.#isAfterBurst(record.time);
    if (this.#copying) this.#lastMs = record.time ?? this.#lastMs;
    return this.#copying;
  }

  #takeHeader(record: RolloutRecord): boolean {
    const { id, startedMs, isSubagent, agentPath, isFork } = headerOf(record.payload);
    if (this.#threadId === undefined) {
      this.#threadId = id ?? "";
      this.#startedMs = (id && uuidTime(id)) || (startedMs ?? 0);
      this.isSubagent = isSubagent;
      this.agentPath = agentPath;
      this.descends = isSubagent || isFork;
      return false;
    }
    // A resumed thread may repeat its own header.
    if (id === undefined || id === this.#threadId) return this.#copying;
    this.ancestors.push(id);
    this.descends = true;
    this.#copying = true;
    this.#lastMs = record.time;
    return true;
  }

  /** When the turn that this record opens began, if its id contains the time. */
  #takeTurn(record: RolloutRecord): number | undefined {
    if (!TURN_OPENINGS.has(record.type)) return undefined;
    const turnId = turnIdOf(record.payload);
    this.turnId = turnId ?? this.turnId;
    return turnId === undefined ? undefined : uuidTime(turnId);
  }

  #isAfterBurst(atMs: number | undefined): boolean {
    if (atMs === undefined || this.#lastMs === undefined) return false;
    return atMs >= this.#startedMs && atMs - this.#lastMs >= BURST_GAP_MS;
  }
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Milliseconds since the epoch in a version 7 UUID. */
function uuidTime(id: string): number | undefined {
  const match = UUID_V7.exec(id);
  return match ? Number.parseInt(match[1]! + match[2]!, 16) : undefined;
}
