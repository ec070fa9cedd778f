/** Revives a session under its id: with its agent's own resume, or the same command. */
import { AgentRegistry } from "../../agents/registry.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { asObject } from "../../lib/json/fields.ts";
import type { KnownSession } from "../../client/session-list.ts";
import type { SpawnRequest } from "../../client/shim-client.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { bringBackFirst } from "../vault/bring-back-first.ts";
import { sessionDirectories } from "./session-directories.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export async function revivalOf({ meta }: KnownSession): Promise<SpawnRequest> {
  const spec = asObject(JSON.parse(readText(sessionFiles(sessionDirectories(), meta.id).launch)));
  if (spec === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", `Session ${meta.id} no longer exists.`);
  // A conversation an agent wrote in a shell is resumed separately.
  const { adapter_title, resume_key } = meta.agent === undefined ? meta : {};
  const { name, slug } = meta;
  const kept = Object.fromEntries(
    Object.entries({ name, slug, adapter_title, resume_key }).filter(([, value]) => value !== undefined),
  );
  const command = await resumeCommand(meta.kind, resume_key);
  return { ...(spec as unknown as SpawnRequest), ...kept, id: meta.id, ...(command === undefined ? {} : { command }) };
}

async function resumeCommand(kind: string, key: string | undefined): Promise<string[] | undefined> {
  if (key === undefined || !new AgentRegistry().has(kind)) return undefined;
  const { createClient } = await import("../../index.ts");
  const client = createClient();
  const adapter = await client.adapters.get(kind);
  try {
    const { source, summary } = await client.sessions.open(kind, key);
    bringBackFirst(summary);
    return adapter.launch?.resume?.(key, source);
  } catch (error) {
    // A conversation without messages was never written: there is nothing to resume.
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}
