/** Modules of several agents work in the memory of one scanner, and none of them where another one does. */
import { expect, it } from "vitest";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { BUILTIN_AGENTS } from "../builtin.gen.ts";
import type { SaidScan } from "./said-scan.ts";

const timestamp = "2026-05-01T10:00:00.000Z";
const PROMPTS: Record<string, object> = {
  claude: { type: "user", message: { role: "user", content: "Say it" }, timestamp },
  codex: { timestamp, type: "event_msg", payload: { type: "user_message", message: "Say it" } },
};

it("each tells its own prompts, whichever was made last", async () => {
  const scanner = new ByteScanner();
  const needle = scanner.needle(Buffer.from("say"), { ignoreCase: true, loose: true });
  const scans = new Map<string, SaidScan>();
  for (const [name, agent] of Object.entries(BUILTIN_AGENTS)) {
    const scan = (await agent()).default.history?.bytes?.saidScan?.(scanner, needle);
    if (scan) scans.set(name, scan);
  }
  expect([...scans.keys()].toSorted()).toEqual(Object.keys(PROMPTS));
  for (const [name, scan] of scans) {
    const line = Buffer.from(`${JSON.stringify(PROMPTS[name])}\n`);
    line.copy(scanner.bytes);
    scanner.close(line.length);
    const { role, time, start, end } = scan.said([0], line.length, line.indexOf("Say"), 0)!;
    expect({ role, time, text: scanner.bytes.toString("utf8", start, end) }).toEqual({
      role: "user",
      time: Date.parse(timestamp),
      text: "Say it",
    });
  }
});
