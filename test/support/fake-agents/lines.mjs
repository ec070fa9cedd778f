/** Shared by the fake agents: lines in the format of `claude -p --output-format stream-json`. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Asked before a start, and no start itself.
if (process.argv[2] === "--version") {
  process.stdout.write("2.1.0 (fake)\n");
  process.exit(0);
}

export const SESSION = "11111111-2222-4333-8444-555555555555";

export function say(record) {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

export function begin() {
  say({ type: "system", subtype: "init", session_id: SESSION, model: "claude-sonnet-5-5", cwd: process.cwd() });
}

export function text(content, id = "msg_1") {
  say({ type: "assistant", message: { id, content: [{ type: "text", text: content }] }, session_id: SESSION });
}

export function toolUse(id, command) {
  const content = [{ type: "tool_use", id, name: "Bash", input: { command } }];
  say({ type: "assistant", message: { id: `msg_${id}`, content }, session_id: SESSION });
}

export function result(fields = {}) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    session_id: SESSION,
    total_cost_usd: 0.01,
    usage,
    ...fields,
  });
}

/** Records a line for the test, such as a process id. */
export function note(line) {
  if (process.env.FAKE_NOTES) appendFileSync(process.env.FAKE_NOTES, `${line}\n`);
}

/** Records from standard input. */
export async function* heard() {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line);
}
