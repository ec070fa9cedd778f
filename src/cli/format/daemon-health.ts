/** The daemon's state in a few lines. */
import type { Health } from "../../protocol/daemon-api.ts";

const NO_PORT = "none: another program has the port. Choose one with amux daemon restart --listen 127.0.0.1:<port>";

/** Whether it listens on its port; otherwise only local commands reach it. */
export function isReachable({ listen }: Health): boolean {
  return listen !== undefined;
}

export function healthText({ version, pid, started_at, listen, sessions }: Health): string {
  return [
    `amuxd ${version} is running (process ${pid}, since ${started_at})`,
    `page      ${listen === undefined ? NO_PORT : `http://${listen}`}`,
    `sessions  ${sessions.alive} running, ${sessions.dead} ended`,
    "",
  ].join("\n");
}
