/**
 * Ties browsers' connections to runners', byte by byte. Neither side is read ahead of the other, so a slow browser slows
 * nobody but itself: its runner notices and skips ahead. Ends with the daemon.
 */
import { connect, isIP, type Socket } from "node:net";
import { connect as connectEncrypted, TLSSocket } from "node:tls";
import type { RelayOrder, RelayTarget } from "./relay-order.ts";

/** As much as the system hands over at once. */
const READ_BYTES = 64 * 1024;

const UNREACHABLE = "HTTP/1.1 502 Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

process.on("message", (order: RelayOrder, client: Socket | undefined) => {
  // The browser may have left on the way here.
  if (client !== undefined) join(client, order);
});
process.once("disconnect", () => process.exit());

function join(client: Socket, { to, handshake, greeting, head }: RelayOrder): void {
  const runner = "encrypted" in to && to.encrypted ? encrypted(to, client) : plain(to, client);
  let isOpen = false;
  runner.once(runner instanceof TLSSocket ? "secureConnect" : "connect", () => {
    isOpen = true;
    if (greeting !== undefined) client.write(greeting);
    runner.write(handshake);
    if (head !== "") runner.write(Buffer.from(head, "base64"));
    client.pipe(runner);
  });
  // A connection that broke on one side ends on the other.
  const leave = (): void => void runner.destroy();
  client.once("error", leave).once("close", leave);
  runner.once("error", () => {
    if (isOpen) client.destroy();
    else client.end(UNREACHABLE);
  });
  runner.once("end", () => client.end());
  runner.once("close", () => {
    if (isOpen) client.end();
  });
}

function plain(to: RelayTarget, client: Socket): Socket {
  // One buffer for all that comes: a flood read into new ones would keep the collector busy, and everyone waiting.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const runner = connect({
    ...to,
    keepAlive: true,
    onread: {
      buffer,
      callback: (length) => {
        client.write(buffer.subarray(0, length), () => runner.resume());
        // Not more before the client has taken it: it lies in this buffer. And others are to have their turn.
        return false;
      },
    },
  });
  return runner;
}

function encrypted({ host, port, ca }: { host: string; port: number; ca?: string }, client: Socket): Socket {
  const runner = connectEncrypted({
    host,
    port,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
  runner.setKeepAlive(true);
  runner.pipe(client);
  return runner;
}
