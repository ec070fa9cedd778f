/** Notification settings: `attention.json` in amux's home. */
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { asArray, asNumber, asObject, asText } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import { LOUD_REASONS, REASONS, type Reason } from "./attention.ts";
import type { NoticeRules } from "./notices.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export interface NoticeConfig extends NoticeRules {
  /** A program with arguments; never a shell command line. */
  notify?: string[];
  /** Removes a notification from the screen. */
  withdraw?: string[];
  sound?: string[];
  /** A program, or an address to post the notification to. */
  webhook?: string[] | string;
  /** Also push services in a private network. */
  privatePush?: boolean;
}

/** Time to answer a session one is looking at anyway. */
const GRACE_SECONDS = 5;

/** Without the file: no programs. */
export function defaultNoticeConfig(): NoticeConfig {
  return { graceMs: GRACE_SECONDS * 1000, reasons: new Set(LOUD_REASONS) };
}

/** Undefined if there is no such file. */
export function readNoticeConfig(path: string): NoticeConfig | undefined {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(path, `it is not JSON (${(error as Error).message})`, error);
  }
  const fields = asObject(value);
  if (fields === undefined) throw wrong(path, "it does not hold an object");
  const seconds = fields["graceSeconds"] ?? GRACE_SECONDS;
  if (asNumber(seconds) === undefined || (seconds as number) < 0) throw wrong(path, "graceSeconds is a number");
  const reasons = fields["reasons"] === undefined ? LOUD_REASONS : asArray(fields["reasons"]);
  if (reasons === undefined || !reasons.every(isReason))
    throw wrong(path, `reasons is a list of ${REASONS.join(", ")}`);
  const address = asText(fields["webhook"]);
  if (address !== undefined && !/^https?:\/\//.test(address)) throw wrong(path, "webhook is an http address");
  return {
    graceMs: (seconds as number) * 1000,
    reasons: new Set(reasons),
    ...(fields["privatePush"] === true ? { privatePush: true } : {}),
    ...optional("notify", commandOf(fields["notify"], "notify", path)),
    ...optional("withdraw", commandOf(fields["withdraw"], "withdraw", path)),
    ...optional("sound", commandOf(fields["sound"], "sound", path)),
    ...optional("webhook", address ?? commandOf(fields["webhook"], "webhook", path)),
  };
}

function isReason(value: unknown): value is Reason {
  return (REASONS as readonly unknown[]).includes(value);
}

function commandOf(value: unknown, name: string, path: string): string[] | undefined {
  if (value === undefined) return undefined;
  const words = asArray(value);
  if (words === undefined || words.length === 0 || !words.every((word) => typeof word === "string"))
    throw wrong(path, `${name} is a list of words: a program and its arguments`);
  return words as string[];
}

function wrong(path: string, what: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${path}: ${what}.`, cause === undefined ? {} : { cause });
}
