/** Connects to the runner of another machine's session through the local daemon. */
import { request } from "node:http";
import type { Socket } from "node:net";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { FRAMES_PROTOCOL } from "../protocol/daemon-api.ts";
import { DaemonMissing } from "./daemon-client.ts";
import { greet } from "./open-shim-connection.ts";
import type { ShimConnection } from "./shim-connection.ts";

const WITHIN_MS = 20_000;

/** `daemonSocket` is the Unix socket of this machine's daemon. */
export async function openRemoteConnection(daemonSocket: string, id: string): Promise<ShimConnection> {
  return greet(await upgrade(daemonSocket, `/frames/${id}`), daemonSocket);
}

function upgrade(socketPath: string, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost", connection: "upgrade", upgrade: FRAMES_PROTOCOL };
    const outgoing = request({ socketPath, path, headers, agent: false });
    outgoing.setTimeout(WITHIN_MS, () =>
      outgoing.destroy(new AgentMuxError("TIMEOUT", "The session does not answer.")),
    );
    outgoing.once("error", (error) => reject(explain(error)));
    outgoing.once("upgrade", (_, socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    outgoing.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece.slice(0, 4096)));
      response.once("end", () => reject(refusal(response.statusCode ?? 0, text)));
    });
    outgoing.end();
  });
}

function refusal(status: number, text: string): AgentMuxError {
  const code = codeIn(text);
  if (code === "peer_unreachable")
    return new AgentMuxError("TIMEOUT", "Its machine cannot be reached. See amux peers status.");
  if (code === "not_running")
    return new AgentMuxError("SESSION_NOT_FOUND", "The session is not running. See amux resume.");
  if (code === "not_found" || code === "unknown_peer") {
    return new AgentMuxError("SESSION_NOT_FOUND", "There is no such session. See amux peers list.");
  }
  return new AgentMuxError("INTERNAL", `The session's terminal was refused (${code ?? status}).`);
}

function codeIn(text: string): string | undefined {
  try {
    return asText(asObject(asObject(JSON.parse(text))?.["error"])?.["code"]);
  } catch {
    return undefined; // Without JSON there is no error code.
  }
}

function explain(error: Error): AgentMuxError {
  if (error instanceof AgentMuxError) return error;
  if (["ENOENT", "ECONNREFUSED"].includes(codeOf(error))) return new DaemonMissing(error);
  return new AgentMuxError("INTERNAL", `The daemon cannot be reached: ${error.message}`, { cause: error });
}
