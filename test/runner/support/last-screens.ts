/** For a failure message: what every session of a home shows, or showed last, and the ends of their logs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { askRunner } from "../../../src/client/runner-http.ts";
import type { ShimClient } from "../../../src/client/shim-client.ts";
import { lastLines } from "../../support/wait-for.ts";

const LINES = 30;
/** A stopped runner must not hold up the message. */
const PATIENCE_MS = 2000;

export async function lastScreens(home: string, client: ShimClient): Promise<string> {
  const directory = join(home, "sessions");
  const ids = existsSync(directory) ? readdirSync(directory) : [];
  const each = await Promise.all(ids.map((id) => lastScreen(client, id)));
  return [`Sessions in ${home}: ${ids.join(", ") || "none"}`, ...each].join("\n");
}

async function lastScreen(client: ShimClient, id: string): Promise<string> {
  const { socket, log, directory } = client.files(id);
  const ask = { method: "GET", path: `/text?lines=${LINES}`, timeoutMs: PATIENCE_MS } as const;
  const screen = await askRunner(socket, ask).then(
    ({ body }) => `${id} shows:\n${body.toString().trimEnd()}`,
    (error: unknown) =>
      `${id} does not answer (${String(error)}); its record ends:\n${endOf(join(directory, "pty-1.ansi"))}`,
  );
  return existsSync(log) ? `${screen}\n${id} wrote last:\n${endOf(log)}` : screen;
}

function endOf(path: string): string {
  return existsSync(path) ? lastLines(readFileSync(path, "utf8")) : "(nothing)";
}
