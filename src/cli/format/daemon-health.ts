/** The daemon's state in a few lines. */
import type { Health } from "../../protocol/daemon-api.ts";

export function healthText({ version, pid, started_at, listen, sessions }: Health): string {
  return [
    `amuxd ${version} is running (process ${pid}, since ${started_at})`,
    `page      ${listen === undefined ? "not reachable: the port is taken" : `http://${listen}`}`,
    `sessions  ${sessions.alive} alive, ${sessions.dead} resumable or over`,
    "",
  ].join("\n");
}
