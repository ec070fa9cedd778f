/** Renames a session of this machine, running or ended; an empty name removes it. */
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { sessionFiles, type SessionDirectories } from "../protocol/session-files.ts";
import { sessionTitle } from "../protocol/session-title.ts";
import { askRunner } from "./runner-http.ts";
import { storedMeta } from "./stored-meta.ts";
import { sessionName } from "./session-name.ts";

export async function renameSession(places: SessionDirectories, id: string, text: string): Promise<void> {
  const { socket, meta: path } = sessionFiles(places, id);
  const name = sessionName(text);
  // Only the runner writes the session's file, and it may outlive its program briefly.
  if (await hasTaken(socket, name)) return;
  const meta = storedMeta(path);
  if (meta === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", `Session ${id} no longer exists.`);
  writeFileAtomic(path, `${JSON.stringify(renamed(meta, name), undefined, 2)}\n`);
}

async function hasTaken(socket: string, name: string): Promise<boolean> {
  try {
    const { status, body } = await askRunner(socket, { method: "PUT", path: "/title", body: name });
    if (status < 400) return true;
    throw new AgentMuxError(
      status < 500 ? "VALIDATION_ERROR" : "INTERNAL",
      `The session keeps its name: ${reason(body)}`,
    );
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return false;
    throw error;
  }
}

function reason(body: Buffer): string {
  const text = body.toString("utf8");
  try {
    return asText(asObject(asObject(JSON.parse(text))?.["error"])?.["message"]) ?? text;
  } catch {
    // Not our error format.
    return text;
  }
}

/** The same result as when the runner renames it. */
function renamed({ name: _old, ...meta }: SessionMeta, name: string): SessionMeta {
  const named = name === "" ? meta : { ...meta, name };
  return { ...named, title: sessionTitle(named) };
}
