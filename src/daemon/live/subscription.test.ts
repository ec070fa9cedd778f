import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { askRunner } from "../../client/runner-http.ts";
import { subscribe } from "./subscription.ts";

const META = {
  id: "sess-abc12345",
  created_at: "2026-03-14T10:00:00Z",
  command: ["pi"],
  cwd: "/",
  kind: "pi",
  alive: true,
  pid: process.pid,
  started_at: "2026-03-14T10:00:01Z",
  title: "t",
  status: null,
  unread: false,
  socket_path: "",
};

it("a runner that disconnects before it sends its state is not shown", async () => {
  const socket = join(tempHome().path, "s");
  const server = createServer().listen(socket);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const nextRequest = async (): Promise<[IncomingMessage, ServerResponse]> =>
    (await once(server, "request")) as [IncomingMessage, ServerResponse];
  const listener = { onMeta: vi.fn(), onEvent: vi.fn(), onEnd: vi.fn() };
  const subscribed = subscribe(META.id, socket, listener);
  const [, events] = await nextRequest();
  events.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const [, meta] = await nextRequest();
  events.end();
  await expect(subscribed).rejects.toThrow("hung up");
  meta.end(JSON.stringify(META));
  // When this answer arrives, all earlier ones have arrived.
  const later = askRunner(socket, { method: "GET", path: "/later" });
  (await nextRequest())[1].end();
  await later;
  expect(listener.onMeta).not.toHaveBeenCalled();
});
