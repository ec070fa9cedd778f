/** A user's file for the package's parts: an own agent, a session from code, and the daemon's answers. */
import { defineAgent, ReadNotes, readerOf, type History, type SessionSource } from "amux/agents";
import { DaemonClient, ShimClient, type SpawnRequest } from "amux/client";
import { MuxSession, type AttentionItem, type Health } from "amux/protocol";

const history: Pick<History, "roots" | "sessionDir"> = {
  roots: (env) => [`${env.home}/.mine`],
  sessionDir: (env) => `${env.home}/.mine`,
};

export const source: SessionSource = { sessionId: "1", path: "/x", files: [], updatedMs: 0 };
export const places: string[] = history.roots({ home: "/home/me", platform: "linux", vars: {} });
export const notes: number = new ReadNotes().skippedCount;
export const parts = [defineAgent, readerOf];

export async function startSession(home: string): Promise<string> {
  const client = new ShimClient({ home });
  const request: SpawnRequest = { command: ["cat"], cwd: home };
  const id = await client.spawn(request);
  const connection = await client.connect(id);
  connection.close();
  await client.kill(id);
  return id;
}

export async function askDaemon(home: string): Promise<Health | undefined> {
  return new DaemonClient(home).health();
}

export function titleOf(value: unknown): string {
  return MuxSession.parse(value).title;
}

export function optionsOf(item: AttentionItem): string[] {
  return item.options?.map(({ label }) => label) ?? [];
}
