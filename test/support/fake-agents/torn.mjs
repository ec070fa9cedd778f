#!/usr/bin/env node
/** Writes byte by byte, with noise in between and no last line break. */
import { begin, SESSION } from "./lines.mjs";

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
begin();
const content = [{ type: "text", text: "naïve café 店 👩‍🚀 \u2028 end" }];
const lines = [
  JSON.stringify({ type: "assistant", message: { id: "msg_1", content } }),
  "Warning: this is no record",
  JSON.stringify({ type: "result", subtype: "success", session_id: SESSION, total_cost_usd: 0.01, usage: {} }),
];
for (const byte of Buffer.from(`${lines[0]}\r\n\n${lines[1]}\n${lines[2]}`)) {
  process.stdout.write(Buffer.of(byte));
  if (byte >= 0x80) await pause();
}
process.stderr.write(`${"noise ".repeat(20000)}\nlast words\n`);
