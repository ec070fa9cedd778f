/** A terminal of a peer's session, watched through the hub as a browser does. */
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { waitFor } from "../../support/wait-for.ts";
import type { TestDaemon } from "./test-daemon.ts";

/** Text typed into it, which its screen shows. */
export const TYPED = "typed over there";

/** Returns the session's id at the hub. */
export async function watchTerminal(hub: TestDaemon, spoke: TestDaemon, peer: string): Promise<string> {
  const id = `${await spoke.launch("echo ready; exec cat")}@${peer}`;
  await hub.until("the row", id, ({ alive, unreachable }) => alive && unreachable === undefined);
  const headers = { authorization: `Bearer ${hub.token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/ws/${id}`, { headers });
  onTestFinished(() => socket.terminate());
  let output = "";
  socket.on("message", (data: Buffer, isBinary) => {
    output += isBinary ? data.toString("utf8") : "";
  });
  await waitFor("its screen", () => output.includes("ready"));
  socket.send(Buffer.from(`${TYPED}\r`));
  await waitFor("the echo", () => output.includes(TYPED));
  return id;
}
