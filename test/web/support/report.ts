import { request } from "node:http";
import { join } from "node:path";
import type { DemoDaemon } from "../../../scripts/demo-daemon.mjs";

/** Reports to the runner as the hook program does; with `source: "agent"` as `amux status set` does. */
export function report(
  demo: DemoDaemon,
  id: string,
  body: { state: string; message?: string; source?: "agent" },
): Promise<void> {
  const socketPath = join(demo.place, "amux/sockets", `${id}.sock`);
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method: "POST", path: "/hook", headers: { host: "runner" } }, (response) => {
      response.resume().once("end", resolve);
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify({ source: "hook", ...body }));
  });
}
