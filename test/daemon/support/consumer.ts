/** A browser's side of the event stream: keeps the sessions it receives. */
import { SseParser, type SseEvent } from "../../../src/client/sse.ts";
import type { MuxSession } from "../../../src/protocol/mux-session.ts";
import { DEADLINE_MS } from "../../support/deadline.ts";

export class Consumer {
  readonly sessions = new Map<string, MuxSession>();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #parser = new SseParser();
  #synced = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Reads until all events so far have arrived; newest session first. */
  async picture(expected: number): Promise<MuxSession[]> {
    const quiet = (): Promise<"quiet"> => new Promise((resolve) => setTimeout(() => resolve("quiet"), 100));
    const deadline = performance.now() + DEADLINE_MS;
    let reading: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> | undefined;
    for (;;) {
      reading ??= this.#reader.read();
      const result = await Promise.race([reading, quiet()]);
      // Silence means the end only when all are there; on a busy machine it is a pause.
      const isWhole = this.#synced && this.sessions.size === expected;
      if (result === "quiet" && (isWhole || performance.now() > deadline)) break;
      if (result === "quiet") continue;
      reading = undefined;
      if (result.done) break;
      for (const event of this.#parser.push(new TextDecoder().decode(result.value))) this.#take(event);
    }
    if (this.sessions.size !== expected) throw new Error(`${this.sessions.size} sessions instead of ${expected}.`);
    return [...this.sessions.values()].sort((a, b) =>
      a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? 1 : -1,
    );
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }

  #take({ event, data }: SseEvent): void {
    const { id, session } = JSON.parse(data) as { id: string; session: MuxSession };
    if (event === "sync-begin") this.sessions.clear();
    else if (event === "sync-end") this.#synced = true;
    else if (event === "session-upsert") this.sessions.set(id, session);
    else if (event === "session-remove") this.sessions.delete(id);
  }
}
