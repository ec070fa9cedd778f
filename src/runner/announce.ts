/** Announces this session to a running daemon, which would otherwise find it at its next scan. */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { daemonFiles } from "../protocol/daemon-files.ts";

/** The daemon queries us over our own socket before it answers. */
const ANSWERED_WITHIN_MS = 5000;

export function announce(home: string, sessionId: string): void {
  const path = daemonFiles(home).socket;
  if (!existsSync(path)) return;
  const body = JSON.stringify({ session_id: sessionId });
  const socket = connect(path);
  // If the daemon is gone or busy, it finds the session at its next scan.
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
