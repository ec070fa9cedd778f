/** HTTP requests to a runner over its socket. */
import { request } from "node:http";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";

const DEFAULT_TIMEOUT_MS = 10_000;

export interface RunnerAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export interface RunnerRequest {
  method: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  body?: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** A longer answer is refused. */
  maxBytes?: number;
}

/** A missing runner throws `SESSION_NOT_FOUND`; any answer, even a refusal, is returned. */
export function askRunner(socketPath: string, ask: RunnerRequest): Promise<RunnerAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, body, headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = Infinity } = ask;
    const outgoing = request({ socketPath, method, path, headers: { host: "runner", ...headers }, agent: false });
    outgoing.setTimeout(timeoutMs, () =>
      outgoing.destroy(
        new AgentMuxError("TIMEOUT", "The session does not answer; its process may be stopped. See amux kill."),
      ),
    );
    outgoing.once("error", (error) => reject(explain(error, method)));
    outgoing.once("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) outgoing.destroy(new AgentMuxError("PARSE_ERROR", "The session's answer is too long."));
        else chunks.push(chunk);
      });
      response.once("error", (error) => reject(explain(error, method)));
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.end(body);
  });
}

function explain(error: Error, method: RunnerRequest["method"]): AgentMuxError {
  if (error instanceof AgentMuxError) return error;
  // It may end before it answers. What it did for another request than a question is not known then.
  const gone = ["ENOENT", "ECONNREFUSED", ...(method === "GET" ? ["ECONNRESET", "EPIPE"] : [])];
  if (gone.includes(codeOf(error))) {
    return new AgentMuxError("SESSION_NOT_FOUND", "The session is not running.", { cause: error });
  }
  return new AgentMuxError("INTERNAL", `The session's process cannot be reached: ${error.message}`, { cause: error });
}
