/** Validates options. All errors are reported at once, field by field. */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ERROR_CODES, ValidationError, type InvalidField } from "../core/errors.ts";
import {
  APPROVAL_MODES,
  SYSTEM_PROMPT_MODES,
  THINKING_EFFORTS,
  type RunDefaults,
  type RunOptions,
} from "../core/run-options.ts";
import { asObject } from "../lib/json/fields.ts";
import { nearest } from "../lib/text/nearest.ts";
import { isRunId } from "./run-id.ts";

interface Check {
  expected: string;
  accepts(value: unknown): boolean;
}

const PROFILE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Less than any model's minimum. */
const MIN_THINKING_TOKENS = 1024;
/** All tags share one line of the run index. */
const MAX_TAG_LENGTH = 64;
const MAX_TAGS = 16;

const text: Check = { expected: "a text that is not empty", accepts: (value) => isText(value) };
/** Passed as an argument, where a leading dash would make it an option. */
const word: Check = {
  expected: "a text that does not begin with a dash",
  accepts: (value) => isText(value) && !value.startsWith("-"),
};
const milliseconds: Check = { expected: "milliseconds, 0 or more", accepts: (value) => isWhole(value, 0) };
const positive: Check = { expected: "a whole number from 1 up", accepts: (value) => isWhole(value, 1) };
const flag: Check = { expected: "true or false", accepts: (value) => typeof value === "boolean" };
const texts: Check = { expected: "a list of texts", accepts: (value) => isListOf(value, isText) };

/** Also used for profiles and configuration files. */
const DEFAULTS: Record<keyof RunDefaults, Check> = {
  agent: text,
  model: word,
  systemPrompt: text,
  systemPromptMode: oneOf(SYSTEM_PROMPT_MODES),
  thinkingEffort: oneOf(THINKING_EFFORTS),
  thinkingBudgetTokens: {
    expected: `a whole number from ${MIN_THINKING_TOKENS} up`,
    accepts: (value) => isWhole(value, MIN_THINKING_TOKENS),
  },
  thinkingOverride: { expected: "an object", accepts: (value) => asObject(value) !== undefined },
  temperature: { expected: "a number from 0 to 2", accepts: (value) => isBetween(value, 0, 2) },
  topP: { expected: "a number from 0 to 1", accepts: (value) => isBetween(value, 0, 1) },
  topK: positive,
  maxTokens: positive,
  maxOutputTokens: positive,
  stream: { expected: `true, false or "auto"`, accepts: (value) => typeof value === "boolean" || value === "auto" },
  outputFormat: oneOf(["text", "json", "jsonl"]),
  nonInteractive: flag,
  collectEvents: flag,
  timeout: milliseconds,
  inactivityTimeout: milliseconds,
  maxTurns: positive,
  gracePeriodMs: milliseconds,
  approvalMode: oneOf(APPROVAL_MODES),
  skills: texts,
  mcpServers: {
    expected: "a list of { name, transport, command or url }",
    accepts: (value) => isListOf(value, isMcpServer),
  },
  retryPolicy: {
    expected: "{ maxAttempts, baseDelayMs, maxDelayMs, jitterFactor, retryOn }",
    accepts: isRetryPolicy,
  },
  tags: {
    expected: `at most ${MAX_TAGS} tags of at most ${MAX_TAG_LENGTH} characters`,
    accepts: (value) => isListOf(value, isTag) && (value as unknown[]).length <= MAX_TAGS,
  },
};

const OF_ONE_RUN: Record<Exclude<keyof RunOptions, keyof RunDefaults>, Check> = {
  prompt: {
    expected: "a text that is not empty",
    accepts: (value) => isText(Array.isArray(value) ? value.join("") : value),
  },
  attachments: {
    expected: "a list with one of filePath, url or base64 (with mimeType) each",
    accepts: (value) => isListOf(value, isAttachment),
  },
  sessionId: word,
  forkSessionId: word,
  forkMessage: {
    expected: "a whole number from 0 up",
    accepts: (value) => Number.isInteger(value) && Number(value) >= 0,
  },
  noSession: flag,
  cwd: { expected: "an absolute path of a directory that exists", accepts: isDirectory },
  env: { expected: "texts by variable name", accepts: isVariables },
  agentsDoc: text,
  runId: { expected: "a ULID", accepts: (value) => typeof value === "string" && isRunId(value) },
  projectId: text,
  profile: { expected: "1 to 64 of a-z, A-Z, 0-9, _ and -", accepts: (value) => isProfileName(value) },
  onInputRequired: { expected: "a function", accepts: (value) => typeof value === "function" },
  onApprovalRequest: { expected: "a function", accepts: (value) => typeof value === "function" },
};

export const DEFAULT_FIELDS = Object.keys(DEFAULTS) as (keyof RunDefaults)[];

export function checkOptions(options: RunOptions): void {
  const checks: Record<string, Check> = { ...DEFAULTS, ...OF_ONE_RUN };
  // A missing prompt is as wrong as an empty one.
  const given: Record<string, unknown> = { prompt: undefined };
  const wrong = wrongFields(Object.assign(given, options), checks);
  const chosen = (["sessionId", "forkSessionId", "noSession"] as const).filter((field) => options[field]);
  if (chosen.length > 1) {
    wrong.push({
      field: chosen.join(", "),
      message: "exclude each other",
      received: chosen.map((field) => options[field]),
      expected: "one of sessionId, forkSessionId and noSession",
    });
  }
  if (options.forkMessage !== undefined && options.forkSessionId === undefined) {
    const message = "goes with forkSessionId only";
    wrong.push({ field: "forkMessage", message, received: options.forkMessage, expected: "a session to fork" });
  }
  if (wrong.length > 0) throw new ValidationError(wrong);
}

/** Errors in a profile or a part of a configuration file. */
export function invalidDefaults(defaults: Readonly<Record<string, unknown>>): InvalidField[] {
  return wrongFields(defaults, DEFAULTS);
}

export function isProfileName(value: unknown): value is string {
  return typeof value === "string" && PROFILE_NAME.test(value);
}

function wrongFields(
  values: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): InvalidField[] {
  return Object.entries(values).flatMap(([field, received]) => {
    const check = Object.hasOwn(checks, field) ? checks[field]! : undefined;
    if (!check) {
      const known = Object.keys(checks);
      const close = nearest(field, known);
      const hint = close === undefined ? `. Settings: ${known.join(", ")}` : ` (did you mean ${close}?)`;
      return [{ field, message: `is not a setting${hint}`, received, expected: `one of ${known.join(", ")}` }];
    }
    // Undefined means "not given" everywhere but in the prompt.
    if ((received === undefined && field !== "prompt") || check.accepts(received)) return [];
    return [{ field, message: `must be ${check.expected}`, received, expected: check.expected }];
  });
}

function oneOf(choices: readonly string[]): Check {
  return { expected: `one of ${choices.join(", ")}`, accepts: (value) => choices.includes(value as string) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTag(value: unknown): boolean {
  return isText(value) && value.length <= MAX_TAG_LENGTH && !/[\u0000-\u001f\u007f]/.test(value);
}

function isWhole(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isDirectory(value: unknown): boolean {
  if (typeof value !== "string" || !isAbsolute(value)) return false;
  return statSync(value, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isVariables(value: unknown): boolean {
  const entries = Object.entries(asObject(value) ?? { "": undefined });
  return entries.every(([name, content]) => VARIABLE_NAME.test(name) && typeof content === "string");
}

function isAttachment(value: unknown): boolean {
  const { filePath, url, base64, mimeType } = asObject(value) ?? {};
  if ([filePath, url, base64].filter((source) => source !== undefined).length !== 1) return false;
  if (base64 !== undefined) return isText(base64) && isText(mimeType);
  return isText(filePath ?? url);
}

function isMcpServer(value: unknown): boolean {
  const { name, transport, command, url } = asObject(value) ?? {};
  if (typeof name !== "string" || !PROFILE_NAME.test(name)) return false;
  if (transport === "stdio") return isText(command);
  return (transport === "sse" || transport === "streamable-http") && isText(url);
}

function isRetryPolicy(value: unknown): boolean {
  const policy = asObject(value);
  if (!policy) return false;
  const checks: Record<string, (field: unknown) => boolean> = {
    maxAttempts: (field) => isWhole(field, 1),
    baseDelayMs: (field) => isWhole(field, 0),
    maxDelayMs: (field) => isWhole(field, 0),
    jitterFactor: (field) => isBetween(field, 0, 1),
    retryOn: (field) => isListOf(field, (code) => (ERROR_CODES as readonly unknown[]).includes(code)),
  };
  return Object.entries(policy).every(([field, content]) => Object.hasOwn(checks, field) && checks[field]!(content));
}
