/** Heads of transcripts that are read at both ends only. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionHead } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { listSessions } from "./discover.ts";
import { summarize } from "./summary.ts";

const ID = "11111111-2222-4333-8444-555555555555";
/** More than is read at each end. */
const LONG = "x".repeat(24_000);

class Transcript {
  readonly #lines: string[] = [];
  #time = Date.parse("2026-03-01T10:00:00.000Z");

  add(record: Record<string, unknown>, write: (record: unknown) => string = JSON.stringify): this {
    const number = this.#lines.length;
    this.#time += 1000;
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const facts = {
      uuid,
      cwd: "/p",
      gitBranch: "main",
      version: "2.0.1",
      timestamp: new Date(this.#time).toISOString(),
    };
    this.#lines.push(write({ isSidechain: false, ...record, ...facts }));
    return this;
  }

  prompt(content: string): this {
    return this.add({ type: "user", message: { role: "user", content } });
  }

  result(content: string): this {
    const block = { type: "tool_result", tool_use_id: "t", content };
    return this.add({ type: "user", message: { role: "user", content: [block] }, toolUseResult: { model: "nested" } });
  }

  reply(model: string, more: Record<string, unknown> = {}, write?: (record: unknown) => string): this {
    const message = {
      id: `m${this.#lines.length}`,
      model,
      role: "assistant",
      content: [{ type: "text", text: "yes" }],
    };
    return this.add({ type: "assistant", message, ...more }, write);
  }

  title(aiTitle: string): this {
    this.#lines.push(JSON.stringify({ type: "ai-title", aiTitle, sessionId: ID }));
    return this;
  }

  get bytes(): Buffer {
    return Buffer.from(`${this.#lines.join("\n")}\n`);
  }
}

function headOf(bytes: Buffer): SessionHead | undefined {
  const home = tempHome();
  const directory = join(home.path, ".claude/projects/-p");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${ID}.jsonl`), bytes);
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  const [source] = listSessions(env, new ReadNotes());
  return summarize(source!, env, new ReadNotes());
}

const begun = () => new Transcript().prompt("What is this?").reply("first-model").result(LONG);

describe("the model in a list of heads", () => {
  it("is that of the last reply, however many others there were just before it", () => {
    expect(headOf(begun().reply("a").reply("a").reply("a").reply("b").bytes)?.model).toBe("b");
  });

  it("is that of the first reply where none is among the last lines", () => {
    expect(headOf(begun().reply("a").result("y".repeat(14_000)).prompt("And?").bytes)?.model).toBe("first-model");
  });

  it("is never a sub-agent's, an invented one or another key's", () => {
    const transcript = begun().reply("a").reply("b", { isSidechain: true }).reply("<synthetic>").result("short");
    expect(headOf(transcript.bytes)?.model).toBe("a");
  });

  it("is found in lines that another program has rewritten", () => {
    const spaced = (record: unknown) => `  ${JSON.stringify(record, undefined, 1).replaceAll("\n", " ")}`;
    expect(headOf(begun().reply("a").reply("b", {}, spaced).prompt("And?").bytes)?.model).toBe("b");
  });

  it("is the most used one where the whole file was read", () => {
    const transcript = new Transcript().prompt("What is this?").reply("a").reply("a").reply("b");
    expect(headOf(transcript.bytes)?.model).toBe("a");
  });
});

describe("a head", () => {
  it("does not scan a whole file for its last date", () => {
    const undated = Buffer.from(`${JSON.stringify({ type: "last-prompt", sessionId: ID })}\n`.repeat(200_000));
    const bytes = Buffer.concat([begun().bytes, undated]);
    // No record in the last 8 MB has a date, so the file's date is used.
    expect(headOf(bytes)?.updatedMs).toBeGreaterThan(Date.parse("2026-03-02T00:00:00Z"));
  });

  it("has a title that was given after the first reply, near the end", () => {
    expect(headOf(begun().title("Named late").reply("a").prompt("And?").bytes)?.title).toBe("Named late");
  });
});
