/** A repository that a recorded session and a person changed, for screenshots and browser tests. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const CHANGING = "5e551011-0000-4000-8000-00000000c4a9";

const BEFORE = "2025-12-31T12:00:00Z";
const START = Date.parse("2026-01-01T00:00:00Z");

const ORDERS = `import { db } from "./db.ts";
import type { Order } from "./types.ts";

/** The open orders of a customer, newest first. */
export async function openOrders(customer: string): Promise<Order[]> {
  const rows = await db.query("select * from orders where customer = $1", [customer]);
  return rows.filter((row) => row.state === "open");
}

export function total(order: Order): number {
  let sum = 0;
  for (const line of order.lines) sum += line.price * line.count;
  return sum;
}

export function label(order: Order): string {
  return "Order " + order.id + " of " + order.customer;
}
`;

const EDITS = [
  [
    '  const rows = await db.query("select * from orders where customer = $1", [customer]);\n  return rows.filter((row) => row.state === "open");',
    "  return db.query(\"select * from orders where customer = $1 and state = 'open' order by placed_at desc\", [customer]);",
  ],
  [
    "  let sum = 0;\n  for (const line of order.lines) sum += line.price * line.count;\n  return sum;",
    "  const cents = order.lines.reduce((sum, line) => sum + Math.round(line.price * 100) * line.count, 0);\n  return cents / 100;",
  ],
];

const REFUND = `import type { Order } from "./types.ts";
import { total } from "./orders.ts";

/** What a customer gets back for the lines they return. */
export function refund(order: Order, returned: ReadonlySet<string>): number {
  const lines = order.lines.filter(({ sku }) => returned.has(sku));
  return total({ ...order, lines });
}
`;

/** Creates `dev/orders` with a commit, the session's edits on top, and an edit by hand. Returns its path. */
export function writeDemoChanges(home) {
  const path = join(home, "dev/orders");
  const write = (name, text) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  const env = { ...process.env, GIT_COMMITTER_DATE: BEFORE, GIT_AUTHOR_DATE: BEFORE, GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], { cwd: path, env });
  write("src/orders.ts", ORDERS);
  write("README.md", "# Orders\n\nRun `npm test` before you push.\n");
  write("logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  let orders = ORDERS;
  const messages = [{ role: "user", content: "Let the database filter, count money in cents, and add refunds." }];
  const call = (name, input) => {
    const id = `toolu_${messages.length}`;
    const usage = { input_tokens: 1200, output_tokens: 90 };
    const content = [{ type: "tool_use", id, name, input }];
    messages.push({ role: "assistant", id: `msg_${id}`, model: "claude-opus-5-5", content, usage });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] });
  };
  for (const [before, after] of EDITS) {
    orders = orders.replace(before, after);
    call("Edit", { file_path: join(path, "src/orders.ts"), old_string: before, new_string: after });
  }
  call("Write", { file_path: join(path, "src/refund.ts"), content: REFUND });
  write("src/orders.ts", orders);
  write("src/refund.ts", REFUND);
  const edited = new Date(START + messages.length * 1000);
  for (const name of ["src/orders.ts", "src/refund.ts"]) utimesSync(join(path, name), edited, edited);
  write("README.md", "# Orders\n\nRun `npm run check` before you push.\n");
  write("logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 9, 9, 9]));
  writeSession(home, path, messages);
  return path;
}

function writeSession(home, cwd, messages) {
  const directory = join(home, ".claude/projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(directory, { recursive: true });
  let parentUuid = null;
  const lines = messages.map((message, index) => {
    const uuid = randomUUID();
    const timestamp = new Date(START + index * 1000).toISOString();
    const type = message.role;
    const common = { parentUuid, uuid, sessionId: CHANGING, cwd, timestamp, isSidechain: false, version: "2.0.0" };
    parentUuid = uuid;
    return JSON.stringify({ ...common, type, message });
  });
  writeFileSync(join(directory, `${CHANGING}.jsonl`), `${lines.join("\n")}\n`);
}
