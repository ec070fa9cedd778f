/**
 * When things were said in a chat. Message blobs carry no time; beside them Cursor keeps turns (a user message and the
 * steps of the answer) that do. Turns are matched with the messages by their text, in order.
 */
import { asTime } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { blobFields, type ChatState } from "./chat-store.ts";
import { blobIdsOf, messageOf, numberOf, textsOf, type WireField } from "./protobuf.ts";

const TURN = { agentTurn: 1 } as const;
const AGENT_TURN = { userMessage: 1, steps: 2 } as const;
const USER_MESSAGE = { text: 1, ms: [25, 26] } as const;
const STEP = { assistant: 1, thinking: 3 } as const;
const ASSISTANT = { text: 1, ms: [2] } as const;
const THINKING = { text: 1, ms: [3, 4] } as const;

interface Timed {
  text: string;
  at: number | undefined;
}

interface Turn {
  prompt: Timed;
  steps: Timed[];
}

export class ChatTimes {
  readonly #turns: Turn[];
  #current = -1;

  constructor(database: ReadOnlyDatabase, state: ChatState) {
    const newer = state.turnIds.map((id) => messageOf(blobFields(database, id) ?? [], TURN.agentTurn));
    const older = state.oldTurnIds.map((id) => blobFields(database, id));
    this.#turns = (newer.length > 0 ? newer : older).map((turn) => turnOf(database, turn ?? []));
  }

  /** The time of a prompt; the turns before it are over. */
  ofPrompt(text: string): number | undefined {
    const index = this.#turns.findIndex((turn, candidate) => candidate > this.#current && same(turn.prompt.text, text));
    if (index === -1) return undefined;
    this.#current = index;
    return this.#turns[index]!.prompt.at;
  }

  /** The time of a reply in the current turn, by what it says or, failing that, by what it thought. */
  ofReply(text: string, thinking: string | undefined): number | undefined {
    const steps = this.#turns[this.#current]?.steps ?? [];
    const wanted = text === "" ? thinking : text;
    return wanted === undefined ? undefined : steps.find((step) => same(step.text, wanted))?.at;
  }
}

function turnOf(database: ReadOnlyDatabase, turn: readonly WireField[]): Turn {
  const [user] = blobIdsOf(turn, AGENT_TURN.userMessage);
  const prompt = user === undefined ? [] : (blobFields(database, user) ?? []);
  return {
    prompt: timed(prompt, USER_MESSAGE),
    steps: blobIdsOf(turn, AGENT_TURN.steps).flatMap((id) => {
      const step = blobFields(database, id) ?? [];
      const assistant = messageOf(step, STEP.assistant);
      const thinking = messageOf(step, STEP.thinking);
      return [
        ...(assistant === undefined ? [] : [timed(assistant, ASSISTANT)]),
        ...(thinking === undefined ? [] : [timed(thinking, THINKING)]),
      ];
    }),
  };
}

/** The number of the time field differs between versions; only a plausible time is one. */
function timed(fields: readonly WireField[], numbers: { text: number; ms: readonly number[] }): Timed {
  const at = numbers.ms.map((field) => asTime(numberOf(fields, field))).find((time) => time !== undefined);
  return { text: textsOf(fields, numbers.text)[0] ?? "", at };
}

function same(a: string, b: string): boolean {
  return a.trim() === b.trim();
}
