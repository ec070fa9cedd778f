/** Paths of this user's sessions, and a client for them. */
import type { ShimClient } from "../../client/shim-client.ts";
import { amuxHome, directoryFrom, processEnv } from "../../lib/fs/paths.ts";
import type { SessionDirectories } from "../../protocol/session-files.ts";

export function sessionDirectories(): SessionDirectories {
  const env = processEnv();
  return { home: amuxHome(env), socketDirectory: directoryFrom(env, "AMUX_SOCKET_DIR") };
}

/** Loaded on demand: a list needs no frames. */
export async function shimClient(): Promise<ShimClient> {
  const client = await import("../../client/shim-client.ts");
  return new client.ShimClient(sessionDirectories());
}
