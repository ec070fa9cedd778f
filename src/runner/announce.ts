/** Tells the daemon, where one runs, that this session is there. Without that it would find out at its next look. */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { daemonFiles } from "../protocol/daemon-files.ts";

/** It asks us first, over our own socket, and then answers. */
const ANSWERED_WITHIN_MS = 5000;

export function announce(home: string, sessionId: string): void {
  const path = daemonFiles(home).socket;
  if (!existsSync(path)) return;
  const body = JSON.stringify({ session_id: sessionId });
  const socket = connect(path);
  // A daemon that is gone, busy or of another mind finds the session when it looks: nothing is to be done about it here.
  socket.on("error", () => socket.destroy());
  socket.setTimeout(ANSWERED_WITHIN_MS, () => socket.destroy());
  socket.once("data", () => socket.destroy());
  socket.unref();
  socket.write(
    [
      "POST /v1/register HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
