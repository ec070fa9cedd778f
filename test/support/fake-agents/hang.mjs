#!/usr/bin/env node
/** Starts, prints half a sentence, and hangs. Ends on request or Ctrl-C. */
import { begin, note, say } from "./lines.mjs";

process.on("SIGTERM", () => {
  note("SIGTERM");
  process.exit(0);
});
process.on("SIGINT", () => {
  note("SIGINT");
  process.exit(130);
});
begin();
say({ type: "stream_event", event: { type: "message_start", message: { id: "msg_1" } } });
say({
  type: "stream_event",
  event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
});
say({
  type: "stream_event",
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Thinking abo" } },
});
note(`pid ${process.pid}`);
setInterval(() => undefined, 1000);
