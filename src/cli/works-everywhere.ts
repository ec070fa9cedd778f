/** What works on Windows: reading history. Terminals need POSIX calls. */
import { AgentMuxError } from "../core/errors.ts";

/** A test checks that nothing they load needs POSIX. */
export const WORKS_EVERYWHERE: readonly string[] = [
  "sessions list",
  "sessions show",
  "sessions search",
  "sessions export",
  "cost report",
  "doctor",
];

export function refuseOnWindows(platform: NodeJS.Platform, command: string): void {
  if (platform !== "win32" || WORKS_EVERYWHERE.includes(command)) return;
  throw new AgentMuxError(
    "CAPABILITY_ERROR",
    `amux has no terminals on Windows, only history: ${WORKS_EVERYWHERE.join(", ")}. The rest needs Linux or macOS.`,
  );
}
