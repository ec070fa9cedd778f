/**
 * Types a message: the text, then Enter separately, then checks that it was accepted. Agents take text and Enter together for a
 * paste and wait for more.
 */
import { AgentMuxError } from "../core/errors.ts";
import { isUrgent, SIGN_IN_ASK, START_ASK } from "../core/state.ts";
import { oneLine, truncate } from "../lib/text/text.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { readChoice } from "./choice.ts";
import type { Choice } from "./shown-choice.ts";
import { optionsText } from "./choice-match.ts";
import { showsText, shownChoice } from "./choose.ts";
import { lookFor, pause } from "./terminal-operator.ts";
import { newRows, type ShownRow } from "./shown-row.ts";
import { hasGoneOn, type QuestionState } from "./current-question.ts";

/** Accepted; queued by the agent until its turn ends; or still in the input line. */
export type Delivery = Receipt["receipt"];

/** What is typed before a program has drawn anything is lost. */
const SHOWN_WITHIN_MS = 15_000;
/** A program that still starts on a busy machine takes a while to draw. */
const DRAWN_WITHIN_MS = 6000;
/** A long text may be shown as something else. */
const LONG_DRAWN_WITHIN_MS = 1000;
/** An earlier Enter is part of the paste. */
const BEFORE_ENTER_MS = 300;
const TAKEN_WITHIN_MS = 6000;
/** A half-drawn screen has changed by then. */
const STAYS_FOR_MS = 200;
const MAX_QUESTION = 200;
/** Short enough to be mostly on one line. */
const TAIL_LENGTH = 24;
const LONG_TEXT = 500;

/** How a refusal begins after which the session is as it was. */
export const NOTHING_TYPED = "Nothing was typed";

/** Refuses while something is asked, since Enter would answer it. */
export async function sendMessage(port: DeliveryPort, text: string, isForced: boolean): Promise<Delivery> {
  const standing = (await port.standing()) ?? undefined;
  if (!isForced) await refuseWhileAsking(port, standing);
  return deliver(port, text, isForced);
}

async function refuseWhileAsking(port: DeliveryPort, standing: QuestionState | undefined): Promise<void> {
  const isAsking = standing !== undefined && isUrgent(standing.state);
  const choice = port.isAgent() || isAsking ? await shownChoice(port) : undefined;
  if (!isAsking && choice === undefined) return;
  const asked = truncate(oneLine(standing?.message ?? choice?.question ?? ""), MAX_QUESTION);
  const what = asked === "" ? "" : `: ${asked}${/[.?!]$/.test(asked) ? "" : "."}`;
  const how =
    standing?.ask === SIGN_IN_ASK
      ? " Attach to it."
      : choice !== undefined
        ? ` Answer with amux answer: ${optionsText(choice)}.`
        : standing?.state === "permission"
          ? " Answer with amux answer: allow · deny."
          : " Answer with amux answer.";
  const kind = standing?.state === "permission" ? "asks for permission" : "asks something";
  throw new AgentMuxError("VALIDATION_ERROR", `${NOTHING_TYPED}: the session ${kind}${what === "" ? "." : what}${how}`);
}

/** Enter would answer a question that appeared while the text was typed. */
function refuseEnter(
  before: QuestionState | undefined,
  now: QuestionState | undefined,
  typed: readonly ShownRow[],
  text: string,
): void {
  const choice = readChoice(typed);
  const isOwn = choice !== undefined && isPartOf(choice, text);
  const isSame = before !== undefined && now?.state === before.state && now.ask === before.ask;
  // Lines of the message can look like a choice, and be reported as one.
  const isAsking = now !== undefined && isUrgent(now.state) && !isSame && !(isOwn && now.ask === START_ASK);
  if (!isAsking && (choice === undefined || isOwn)) return;
  const asked = truncate(oneLine((isAsking ? now.message : choice?.question) ?? ""), MAX_QUESTION);
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `The session began to ask something${asked === "" ? "" : ` ("${asked}")`} while the message was typed. The words were typed, but Enter was not pressed. Answer with amux answer, or attach to the session.`,
  );
}

/** Only lines of the message in order, or commands that would complete it. */
function isPartOf({ options }: Choice, text: string): boolean {
  let rest = oneLine(text);
  return options.every(({ label }) => {
    const at = rest.indexOf(oneLine(label));
    if (at !== -1) rest = rest.slice(at + label.length);
    return at !== -1 || label.startsWith("/");
  });
}

/** The text and Enter. */
export async function deliver(port: DeliveryPort, text: string, isForced = false): Promise<Delivery> {
  const before = (await port.standing()) ?? undefined;
  // A plain program does not show what it has accepted.
  if (!port.isAgent()) {
    await port.say(text);
    await port.press("enter");
    return "delivered";
  }
  if (!isForced) await waitForScreen(port);
  const bare = await port.rows();
  await port.say(text);
  const isDrawn = async (): Promise<true | undefined> =>
    showsText(newRows(bare, await port.rows()), text) ? true : undefined;
  const wasDrawn = await lookFor(isDrawn, isLong(text) ? LONG_DRAWN_WITHIN_MS : DRAWN_WITHIN_MS);
  // A program that has drawn nothing has not read it yet, and would read Enter together with it.
  const isDrawnAs = async (): Promise<string | undefined> => placeholder(bare, await port.rows());
  if (wasDrawn === undefined && isLong(text)) await lookFor(isDrawnAs, DRAWN_WITHIN_MS);
  await pause(BEFORE_ENTER_MS);
  const typed = await port.rows();
  // A short text that is not there was lost, for example by closing a notice; whatever changed then is no trace of it.
  const tail = endShown(typed, text) ?? (wasDrawn || isForced || isLong(text) ? placeholder(bare, typed) : undefined);
  const place = tail === undefined ? undefined : placeOf(typed, tail);
  if (!isForced) refuseEnter(before, (await port.standing()) ?? undefined, typed, text);
  await port.press("enter");
  const taken = await lookFor(async () => {
    const now = await port.standing();
    if (now === null || hasBegun(before, now)) return "delivered" as const;
    if (tail === undefined || place === undefined || !(await hasLeft(port, tail, place))) return undefined;
    return before?.state === "working" ? ("queued" as const) : ("delivered" as const);
  }, TAKEN_WITHIN_MS);
  return taken ?? "not_taken";
}

async function waitForScreen(port: DeliveryPort): Promise<void> {
  const isShown = async (): Promise<true | undefined> =>
    (await port.rows()).some((row) => row.text.trim() !== "") && !(await isStarting(port)) ? true : undefined;
  if (await lookFor(isShown, SHOWN_WITHIN_MS)) return;
  const why = port.isStarting?.() === true ? "the program still starts" : "the program has shown nothing yet";
  throw new AgentMuxError("INVALID_STATE_TRANSITION", `${NOTHING_TYPED}: ${why}. Send it again when it has started.`);
}

/** While it draws anew, the sign of that is missing for a moment. */
async function isStarting(port: DeliveryPort): Promise<boolean> {
  if (port.isStarting === undefined) return false;
  if (port.isStarting()) return true;
  await pause(STAYS_FOR_MS);
  return port.isStarting();
}

/** It is often shown as a placeholder. */
function isLong(text: string): boolean {
  return text.includes("\n") || text.length > LONG_TEXT;
}

/** A turn began after the message. */
function hasBegun(before: QuestionState | undefined, now: QuestionState | undefined): boolean {
  return now?.state === "working" && before?.state !== "working" && hasGoneOn(before, now);
}

/** The end of the typed message, by which it is found again. */
function endShown(typed: readonly ShownRow[], text: string): string | undefined {
  const line = text.trimEnd().split("\n").at(-1)!;
  const candidates = [line.slice(-TAIL_LENGTH).trim(), /\S+$/u.exec(line)?.[0].slice(-TAIL_LENGTH) ?? ""];
  return candidates.find((tail) => tail !== "" && typed.some((row) => row.text.includes(tail)));
}

/** What the program shows for a message, or its wrapped end. */
function placeholder(bare: readonly ShownRow[], typed: readonly ShownRow[]): string | undefined {
  const known = new Set(bare.map((row) => row.text.trim()));
  return typed.findLast((row) => row.text.trim() !== "" && !known.has(row.text.trim()))?.text.trim();
}

/** Distance of that from the last non-empty line. */
function placeOf(rows: readonly ShownRow[], tail: string): number | undefined {
  const last = rows.findLastIndex((row) => row.text.trim() !== "");
  const at = rows.findLastIndex((row) => row.text.includes(tail));
  return at === -1 ? undefined : last - at;
}

/** Gone, also from the line above (an added line break) and below, and still gone a moment later. */
async function hasLeft(port: DeliveryPort, tail: string, place: number): Promise<boolean> {
  const isThere = async (): Promise<boolean> => {
    const now = placeOf(await port.rows(), tail);
    return now !== undefined && Math.abs(now - place) <= 1;
  };
  if (await isThere()) return false;
  await pause(STAYS_FOR_MS);
  return !(await isThere());
}
