/**
 * Connects browsers to runners byte by byte. Neither side is read ahead, so a slow browser slows only itself: its runner skips
 * ahead. Ends with the daemon.
 */
import { connect, isIP, type Socket } from "node:net";
import { connect as connectEncrypted, TLSSocket } from "node:tls";
import type { RelayOrder, RelayTarget, RelayWord } from "./relay-order.ts";

/** As much as the system delivers at once. */
const READ_BYTES = 64 * 1024;

const UNREACHABLE = "HTTP/1.1 502 Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Connections the daemon may still read from, oldest first. */
const taken: { client: Socket; order: RelayOrder }[] = [];

process.on("message", (message: RelayOrder | RelayWord, client: Socket | undefined) => {
  if (typeof message === "string") {
    const next = taken.shift();
    if (next?.client.destroyed === false) join(next.client, next.order);
    return;
  }
  // The browser may have left meanwhile.
  if (client === undefined) return;
  // Until it is joined, nothing else listens for its errors.
  client.once("error", () => client.destroy());
  taken.push({ client, order: message });
  process.send?.("taken" satisfies RelayWord);
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
  // A connection broken on one side ends on the other.
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
  // One buffer for all reads: a flood of new ones would keep the collector busy.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const runner = connect({
    ...to,
    keepAlive: true,
    onread: {
      buffer,
      callback: (length) => {
        client.write(buffer.subarray(0, length), () => runner.resume());
        // No more until the client has taken it: the buffer is shared. And others get their turn.
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
