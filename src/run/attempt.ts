/** One process of a run and its stream: lines in, events out; prompts and answers in the other direction. */
import type { AgentStream, PreparedRun } from "../agents/run-support.ts";
import type { EventBody } from "../core/agent-event.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { InteractionAnswer } from "../core/run-result.ts";
import { AgentProcess, type ProcessEnd, type ProcessSpec } from "./agent-process.ts";

export interface AttemptListener {
  onEvent: (event: EventBody) => void;
  onActivity: () => void;
}

export class Attempt {
  /** Resolves after the last event. */
  readonly ended: Promise<ProcessEnd>;
  readonly #process: AgentProcess;
  readonly #stream: AgentStream;

  constructor(
    spec: Omit<ProcessSpec, "args" | "stdin" | "listens">,
    { args, stdin, stream }: PreparedRun,
    { onEvent, onActivity }: AttemptListener,
  ) {
    this.#stream = stream;
    this.#process = new AgentProcess(
      { ...spec, args, listens: stream.prompt !== undefined, ...(stdin === undefined ? {} : { stdin }) },
      {
        onActivity,
        onLine: (line) => {
          const events = eventsOf(stream, line);
          // First, because a listener may send something that refers to it.
          const replies = stream.replies?.() ?? "";
          if (replies !== "" && this.#process.canListen) this.#process.write(replies);
          for (const event of events) onEvent(event);
        },
        onLongLine: (bytes) =>
          onEvent({ type: "debug", level: "warning", message: `A line of ${bytes} bytes was skipped.` }),
      },
    );
    if (this.#process.pid !== undefined) for (const event of stream.begin?.() ?? []) onEvent(event);
    this.ended = this.#process.ended.then((end) => {
      if (end.spawnError === undefined) for (const event of stream.end(end)) onEvent(event);
      return end;
    });
  }

  get canListen(): boolean {
    return this.#stream.prompt !== undefined && this.#process.canListen;
  }

  prompt(text: string): void {
    if (!this.canListen) {
      throw new AgentMuxError("STDIN_NOT_AVAILABLE", "The agent takes no further input while it runs.");
    }
    this.#process.write(this.#stream.prompt!(text));
  }

  answer(interactionId: string, answer: InteractionAnswer): void {
    const words = this.#process.canListen ? this.#stream.answer?.(interactionId, answer) : undefined;
    if (words === undefined) {
      throw new AgentMuxError("NO_PENDING_INTERACTION", `The agent no longer waits for ${interactionId}.`);
    }
    this.#process.write(words);
  }

  /** Uses the agent's own interrupt message if it has one, so that the session stays intact; otherwise SIGINT. */
  interrupt(): void {
    if (this.#process.canListen && this.#stream.interrupt) this.#process.write(this.#stream.interrupt());
    else this.#process.signal("SIGINT");
  }

  closeInput(): void {
    if (this.#process.canListen) this.#process.closeInput();
  }

  setReading(isReading: boolean): void {
    this.#process.setReading(isReading);
  }

  freeze(isFrozen: boolean): void {
    this.#process.signal(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  terminate(graceMs: number): void {
    this.#process.terminate(graceMs);
  }
}

/** A plug-in parser that throws loses its line, not the program. */
function eventsOf(stream: AgentStream, line: string): EventBody[] {
  try {
    return stream.line(line);
  } catch (error) {
    const message = `A line could not be read: ${(error as Error).message}`;
    return [
      { type: "debug", level: "error", message },
      { type: "log", source: "stdout", line },
    ];
  }
}
