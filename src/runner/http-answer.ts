/** Answers of the runner's HTTP API. */
import type { ServerResponse } from "node:http";
import { AgentMuxError } from "../core/errors.ts";
import { HttpProblem } from "./http-request.ts";

export function json(response: ServerResponse, body: object, status = 200): void {
  // After a refusal the rest of the body may still arrive: the connection is not reused.
  if (status >= 400) response.shouldKeepAlive = false;
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}

export function noContent(response: ServerResponse): void {
  response.writeHead(204).end();
}

/** A refusal keeps its code, so that the caller can distinguish it. */
export async function spoken<T>(speak: () => Promise<T> | T): Promise<T> {
  try {
    return await speak();
  } catch (error) {
    if (error instanceof AgentMuxError) throw new HttpProblem(409, error.code, error.message);
    throw error;
  }
}

/** The disk rejects writes. */
const UNWRITABLE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

export function unsaved(code: string): HttpProblem {
  return UNWRITABLE.has(code)
    ? new HttpProblem(507, "disk_full", `The disk is full (${code}). Free some space and try again.`)
    : new HttpProblem(500, "internal", `It cannot be saved: ${code}.`);
}
