/** Sends messages and answers to a local session: its runner checks the screen and types. */
import { AgentMuxError, ERROR_CODES, type ErrorCode } from "../core/errors.ts";
import { asObject, asText, type Json } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { Answer } from "../protocol/runner-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER } from "../protocol/runner-headers.ts";
import { askRunner, type RunnerAnswer } from "./runner-http.ts";

/** A long list may need many key presses, and an agent may be slow to continue. */
const TIMEOUT_MS = 60_000;

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

export interface DeliveryOptions {
  /** Type even if the session asks something. */
  force?: boolean;
  /** Only to this process, not to a successor. */
  incarnation?: string;
  /** Id of the delivery: however often it is retried, it is typed once. */
  id?: string;
}

export function answerSession(socket: string, answer: Answer): Promise<Receipt> {
  return speak(socket, "/answer", answer, {});
}

export function sendMessage(socket: string, text: string, words: DeliveryOptions = {}): Promise<Receipt> {
  return speak(socket, "/message", { text, ...(words.force === true ? { force: true } : {}) }, words);
}

async function speak(
  socket: string,
  path: string,
  body: object,
  { incarnation, id }: DeliveryOptions,
): Promise<Receipt> {
  const answer = await askRunner(socket, {
    method: "POST",
    path,
    body: JSON.stringify(body),
    headers: {
      ...(incarnation === undefined ? {} : { [INCARNATION_HEADER]: incarnation }),
      ...(id === undefined ? {} : { [INPUT_ID_HEADER]: id }),
    },
    timeoutMs: TIMEOUT_MS,
  });
  return toldBy(answer) as unknown as Receipt;
}

/** A runner's answer. Its refusal is thrown with its code. */
export function toldBy({ status, body: answer }: RunnerAnswer): Json | undefined {
  const told = parseObject(answer.toString("utf8"));
  if (status < 400) return told;
  const error = asObject(told?.["error"]);
  // An older runner accepted decisions where answers go now.
  const isOtherShape = status === BAD_REQUEST && asText(error?.["message"])?.includes("behavior") === true;
  if (status === NOT_FOUND || isOtherShape) throw tooOld();
  const code = ERROR_CODES.find((known) => known === error?.["code"]) ?? ("INVALID_STATE_TRANSITION" as ErrorCode);
  throw new AgentMuxError(code, asText(error?.["message"]) ?? `The session did not accept it (status ${status}).`);
}

function tooOld(): AgentMuxError {
  return new AgentMuxError(
    "CAPABILITY_ERROR",
    "The session's process belongs to an older amux that cannot do this. Attach to it, or use amux send --raw.",
  );
}
