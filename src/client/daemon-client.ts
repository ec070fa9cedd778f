/** HTTP client for the daemon's Unix socket. */
import { request } from "node:http";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import type { Envelope, Health } from "../protocol/daemon-api.ts";
import { daemonFiles } from "../protocol/daemon-files.ts";
import type { DaemonRequest, DaemonTransport } from "./daemon-api.ts";

/** The daemon answers at once; slower requests set their own timeout. */
const DEFAULT_TIMEOUT_MS = 10_000;

export class DaemonClient implements DaemonTransport {
  readonly #socketPath: string;

  /** `home` is amux's own directory. */
  constructor(home: string) {
    this.#socketPath = daemonFiles(home).socket;
  }

  /** Undefined if no daemon runs. */
  async health(): Promise<Health | undefined> {
    try {
      return await this.ask<Health>({ method: "GET", path: "/v1/health" });
    } catch (error) {
      if (error instanceof DaemonMissing) return undefined;
      throw error;
    }
  }

  /** The answer's data; a refusal throws the daemon's error. */
  async ask<Data>({ method, path, body, timeoutMs = DEFAULT_TIMEOUT_MS }: DaemonRequest): Promise<Data> {
    const text = await this.#exchange(method, path, body === undefined ? undefined : JSON.stringify(body), timeoutMs);
    let answer: Envelope<Data>;
    try {
      answer = JSON.parse(text) as Envelope<Data>;
    } catch (error) {
      throw new AgentMuxError(
        "INTERNAL",
        "The daemon's answer is malformed. Its version may differ: restart it with amux daemon restart.",
        { cause: error },
      );
    }
    if (!answer.ok) throw new AgentMuxError("INTERNAL", answer.error.message, { cause: answer.error });
    return answer.data;
  }

  #exchange(method: string, path: string, body: string | undefined, timeoutMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { host: "localhost", ...(body === undefined ? {} : { "content-type": "application/json" }) };
      const outgoing = request({ socketPath: this.#socketPath, method, path, headers, agent: false });
      outgoing.setTimeout(timeoutMs, () =>
        outgoing.destroy(new AgentMuxError("TIMEOUT", "The daemon does not answer.")),
      );
      outgoing.once("error", (error) => reject(explain(error)));
      outgoing.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.once("error", (error) => reject(explain(error)));
        response.once("end", () => resolve(text));
      });
      outgoing.end(body);
    });
  }
}

/** No daemon runs. */
export class DaemonMissing extends AgentMuxError {
  constructor(cause: unknown) {
    super("SESSION_NOT_FOUND", "The daemon is not running. Start it with amux daemon start.", { cause });
  }
}

function explain(error: Error): AgentMuxError {
  if (error instanceof AgentMuxError) return error;
  if (["ENOENT", "ECONNREFUSED"].includes(codeOf(error))) return new DaemonMissing(error);
  return new AgentMuxError("INTERNAL", `The daemon cannot be reached: ${error.message}`, { cause: error });
}
