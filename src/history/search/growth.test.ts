/** A session that grew is read from its last offset and found as if read in full. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../../../test/search/random.ts";
import { ClaudeSession, randomText } from "../../../test/search/random-corpus.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient } from "../../index.ts";
import { isLong } from "../../../test/torture/long-form.ts";

const { readSync } = fs;
let bytesRead = 0;

beforeEach(() => {
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    const got = readSync(...args);
    bytesRead += got;
    return got;
  }) as typeof readSync;
  syncBuiltinESMExports();
});

afterEach(() => {
  fs.readSync = readSync;
  syncBuiltinESMExports();
});

const WORDS = ["retry", "bash novelty", "user retr*"];
/** Long enough that the index keeps an offset. */
const LONG = "long ago ".repeat(8000);
/** A message so long that reading the whole session would show. */
const FILLER = "filler ".repeat(150_000);
const FEW_BYTES = 300_000;

class Grown {
  readonly client: AgentMuxClient;
  readonly file: string;
  #changes = Date.parse("2026-06-01T00:00:00Z");

  constructor(home: string, file: string) {
    this.client = createClient({ env: { home, platform: "linux", vars: {} } });
    this.file = file;
    this.rest();
  }

  /** Sets an old date, so that the file counts as settled. */
  rest(): void {
    this.#changes += 1000;
    fs.utimesSync(this.file, this.#changes / 1000, this.#changes / 1000);
  }

  /** Returns how many bytes were read to index it. */
  async append(text: string): Promise<number> {
    fs.appendFileSync(this.file, text);
    this.rest();
    bytesRead = 0;
    const { added } = await this.client.sessions.buildIndex();
    if (added !== 1) throw new Error("It was not taken in.");
    return bytesRead;
  }
}

/** Hits are the same with and without the index. */
async function compare({ client }: Grown): Promise<void> {
  for (const text of WORDS) {
    const used = await client.sessions.search({ text, index: "use" });
    expect(used, text).toEqual(await client.sessions.search({ text, index: "none" }));
  }
  const { agents } = await client.sessions.indexStatus();
  expect(agents.every(({ outdated, missing }) => outdated + missing === 0)).toBe(true);
}

type Json = Record<string, unknown>;

function linesOf(file: string): Json[] {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Json);
}

describe("a session of Claude Code that grows", () => {
  async function longSession(seed: number): Promise<{ grown: Grown; session: ClaudeSession; random: Random }> {
    const random = new Random(seed);
    const home = tempHome().path;
    const session = new ClaudeSession(random, home);
    session.turns(2).says(LONG).turns(3).write();
    const grown = new Grown(home, session.file);
    await grown.client.sessions.buildIndex();
    return { grown, session, random };
  }

  function record(grown: Grown, more: Json, parent?: string | null): string {
    const chain = linesOf(grown.file).filter((line) => line["uuid"] !== undefined);
    const last = chain.at(-1)!;
    const uuid = crypto.randomUUID();
    const parentUuid = parent === undefined ? last["uuid"] : parent;
    return `${JSON.stringify({ ...last, toolUseResult: undefined, parentUuid, uuid, ...more })}\n`;
  }

  const says = (text: string): Json => ({ type: "user", message: { role: "user", content: text } });
  const replies = (id: string, block: Json): Json => ({
    type: "assistant",
    message: { id, role: "assistant", model: "claude-opus-5", content: [block] },
  });

  it("is read from the old end on, and not as a whole", async () => {
    const { grown } = await longSession(1);
    await grown.append(record(grown, says(FILLER)));
    await grown.append(record(grown, replies("msg_filled", { type: "text", text: "done" })));
    for (let round = 0; round < 3; round++) {
      const text = `novelty ${round}`;
      expect(await grown.append(record(grown, replies(`msg_${round}`, { type: "text", text })))).toBeLessThan(
        FEW_BYTES,
      );
    }
    expect(fs.statSync(grown.file).size).toBeGreaterThan(3 * FEW_BYTES);
    await compare(grown);
  });

  it.each(isLong ? [2, 3] : [2])("stays correct again and again (%i)", async (seed) => {
    const { grown, session, random } = await longSession(seed);
    for (let round = 0; round < 4; round++) {
      await grown.append(session.turns(random.int(1, 3)).takeNew());
      await compare(grown);
    }
  });

  it("is ranked with its sub-agents' words after it has grown", async () => {
    const random = new Random(8);
    const home = tempHome().path;
    const session = new ClaudeSession(random, home);
    session.turns(2).says(LONG).turns(3).write();
    const helper = session.helper();
    fs.mkdirSync(join(helper.file, ".."), { recursive: true });
    fs.writeFileSync(helper.file, helper.text);
    // An old date, as in `rest`.
    fs.utimesSync(helper.file, 1, 1);
    const grown = new Grown(home, session.file);
    await grown.client.sessions.buildIndex();
    await grown.append(session.says("novelty retry").takeNew());
    await compare(grown);
  });

  it("stays correct when a reply gets further parts, even in another passage", async () => {
    const { grown } = await longSession(4);
    await grown.append(record(grown, says("novelty")));
    for (let part = 0; part < 4; part++) {
      const text = `part ${part} novelty ${"word ".repeat(6000)}`;
      await grown.append(record(grown, replies("msg_growing", { type: "text", text })));
      await compare(grown);
    }
  });

  it("stays correct when results come late, or a line comes in two pieces", async () => {
    const { grown } = await longSession(5);
    const call = (id: string): Json => ({ type: "tool_use", id, name: "Bash", input: { command: "again" } });
    await grown.append(record(grown, replies("msg_calls", call("toolu_a"))));
    await grown.append(record(grown, replies("msg_more", call("toolu_b"))));
    for (const id of ["toolu_a", "toolu_a"]) {
      const content = [{ type: "tool_result", tool_use_id: id, content: "novelty of a tool" }];
      const line = record(grown, { type: "user", message: { role: "user", content } });
      await grown.append(line.slice(0, 100));
      await grown.append(line.slice(100));
      await grown.append(record(grown, replies(`msg_after_${id}`, { type: "text", text: "and again" })));
      await compare(grown);
    }
  });

  it("stays correct after a rewind, a new beginning, and a side-chain", async () => {
    const { grown, session } = await longSession(6);
    const chain = linesOf(grown.file).flatMap((line) => (typeof line["uuid"] === "string" ? [line["uuid"]] : []));
    await grown.append(record(grown, says("novelty after a rewind"), chain.at(-12)!));
    await compare(grown);
    await grown.append(record(grown, replies("msg_x", { type: "text", text: "again" })));
    await compare(grown);
    await grown.append(record(grown, { ...says("novelty aside"), isSidechain: true }));
    await compare(grown);
    await grown.append(record(grown, says("novelty at last"), null));
    await compare(grown);
    await grown.append(session.turns(2).takeNew());
    await compare(grown);
  });

  it("is read as a whole when a longer file replaced it", async () => {
    const { grown } = await longSession(7);
    const text = fs.readFileSync(grown.file, "utf8").replaceAll("retry", "novelty");
    fs.writeFileSync(grown.file, "");
    await grown.append(`${text}${text.split("\n", 1)[0]}\n`);
    await compare(grown);
  });
});

describe("a thread of Codex that grows", () => {
  const ID = "019f5a3e-8d1c-7c80-b1e4-0d8f3a5b6c7d";
  let clock = Date.parse("2026-05-01T10:00:00Z");
  const line = (type: string, payload: Json): string =>
    `${JSON.stringify({ timestamp: new Date((clock += 1000)).toISOString(), type, payload })}\n`;
  const item = (payload: Json): string => line("response_item", payload);
  const said = (text: string): string =>
    item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

  function turn(random: Random, number: number): string {
    const call = `call_${number}`;
    return [
      line("turn_context", { turn_id: `turn-${number}`, cwd: "/home/me", model: random.pick(["gpt-5.4", "gpt-5.5"]) }),
      line("event_msg", { type: "user_message", message: `ask ${randomText(random, 12)}` }),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: randomText(random, 9) }] }),
      item({ type: "function_call", name: "bash", arguments: JSON.stringify({ command: "retry" }), call_id: call }),
      item({ type: "function_call_output", call_id: call, output: randomText(random, 200) }),
      said(randomText(random, 30)),
    ].join("");
  }

  async function longThread(seed: number): Promise<{ grown: Grown; random: Random }> {
    const random = new Random(seed);
    const home = tempHome().path;
    const file = join(home, `.codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-${ID}.jsonl`);
    let text = line("session_meta", {
      id: ID,
      timestamp: "2026-05-01T10:00:00Z",
      cwd: "/home/me",
      cli_version: "0.99.0",
    });
    for (let number = 0; text.length < 80_000; number++) text += turn(random, number) + said(LONG);
    fs.mkdirSync(join(file, ".."), { recursive: true });
    fs.writeFileSync(file, text);
    const grown = new Grown(home, file);
    await grown.client.sessions.buildIndex();
    return { grown, random };
  }

  it("is read from its last prompt on, and not as a whole", async () => {
    const { grown, random } = await longThread(1);
    await grown.append(said(FILLER));
    await grown.append(turn(random, 10_000));
    for (let round = 1; round < 3; round++)
      expect(await grown.append(turn(random, 10_000 + round))).toBeLessThan(FEW_BYTES);
    expect(fs.statSync(grown.file).size).toBeGreaterThan(3 * FEW_BYTES);
    await compare(grown);
  });

  it("stays correct when a turn comes in pieces", async () => {
    const { grown, random } = await longThread(2);
    for (let round = 0; round < 2; round++) {
      const lines = turn(random, 10_000 + round).split(/(?<=\n)/);
      await grown.append(lines.slice(0, 4).join(""));
      await compare(grown);
      await grown.append(lines.slice(4).join(""));
      await compare(grown);
    }
  });

  it("stays correct when turns are undone, a late tool answers, or another header comes", async () => {
    const { grown, random } = await longThread(3);
    await grown.append(item({ type: "function_call", name: "slow", arguments: "{}", call_id: "call_slow" }));
    await grown.append(turn(random, 20_000));
    await grown.append(item({ type: "function_call_output", call_id: "call_slow", output: "novelty, late" }));
    await compare(grown);
    await grown.append(line("event_msg", { type: "thread_rolled_back", num_turns: 2 }));
    await compare(grown);
    await grown.append(turn(random, 20_001));
    await compare(grown);
    await grown.append(line("session_meta", { id: crypto.randomUUID(), timestamp: "2026-05-01T10:00:00Z" }));
    await compare(grown);
    await grown.append(turn(random, 20_002));
    await compare(grown);
  });
});
