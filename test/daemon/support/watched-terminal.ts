/** A terminal of another machine's session, watched through the hub as a browser does: it shows its screen and takes what is typed. */
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { waitFor } from "../../support/wait-for.ts";
import type { TestDaemon } from "./test-daemon.ts";

/** What is typed into it, and so on its screen. */
export const TYPED = "typed over there";

/** The id by which the hub knows the session. */
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
