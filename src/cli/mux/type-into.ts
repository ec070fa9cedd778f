/** Sends input to a session's current process only, exactly once despite retries. */
import { randomUUID } from "node:crypto";
import { askRunner } from "../../client/runner-http.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER } from "../../protocol/runner-headers.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { sessionDirectories } from "./session-directories.ts";

/** A program that reads slowly may need a while for a long text. */
const TIMEOUT_MS = 60_000;

export interface Typed {
  bytes: Buffer;
  /** Keys only. */
  isKeys?: boolean;
}

export async function typeInto({ id, incarnation }: SessionMeta, typed: Typed): Promise<void> {
  const answer = await askRunner(sessionFiles(sessionDirectories(), id).socket, {
    method: "POST",
    path: "/input",
    body: typed.bytes,
    headers: { [INCARNATION_HEADER]: incarnation, ...inputHeaders(typed) },
    timeoutMs: TIMEOUT_MS,
  });
  if (answer.status === 204) return;
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The session did not accept the input: ${answer.body.toString("utf8").trim()}`,
  );
}

/** The input id makes retries safe. */
export function inputHeaders({ isKeys = false }: Typed): Record<string, string> {
  return { [INPUT_ID_HEADER]: randomUUID(), ...(isKeys ? { [KEYS_HEADER]: "1" } : {}) };
}
