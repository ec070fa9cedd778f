/** Counting by the scanner says what counting parsed records says, on sound files and on damaged ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { Json } from "../../lib/fields.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { UsageRows } from "../usage-rows.ts";
import { history } from "./history.ts";
import type { PromptSource } from "./prompt-text.ts";
import { inOrder, storedRollouts, type RolloutFile } from "./rollout-files.ts";
import { legacy, uuidAt, WrittenHome } from "./testing/written-home.ts";
import { countThread } from "./thread-count.ts";
import { piecesOf, UNLIMITED, type Piece } from "./thread-pieces.ts";
import { ThreadScan } from "./thread-scan.ts";
import { countEntries, entriesOf } from "./thread-stream.ts";

interface Locator {
  rollouts: RolloutFile[];
  name?: string;
}

const HOME = join(import.meta.dirname, "fixtures/home");

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

function pieces(source: SessionSource, env: AgentEnv): Piece[] {
  const own = storedRollouts(env).filter(({ file }) => file.threadId === source.sessionId);
  return piecesOf(
    inOrder(own).map(({ file }) => file),
    env,
  );
}

/** Everything a scan tells, notes included. */
function answer(prompts: PromptSource, read: (scan: ThreadScan, notes: ReadNotes) => void): unknown {
  const scan = new ThreadScan(prompts);
  const notes = new ReadNotes();
  read(scan, notes);
  scan.end();
  const { recordCount, messageCount, turnCount, usage, hasConversation, needsItems, facts } = scan;
  const { hasCopies, hasOwnPrompt } = facts;
  const head = facts.head(undefined, false, true);
  return {
    recordCount,
    messageCount,
    turnCount,
    usage,
    hasConversation,
    needsItems,
    hasCopies,
    hasOwnPrompt,
    head,
    notes,
  };
}

function expectSame(source: SessionSource, env: AgentEnv): void {
  const parts = pieces(source, env);
  for (const prompts of ["events", "items"] as const) {
    const scanned = answer(prompts, (scan, notes) => countEntries(parts, scan, notes));
    const parsed = answer(prompts, (scan, notes) => {
      for (const entry of entriesOf(parts, notes)) scan.take(entry);
    });
    expect(scanned).toEqual(parsed);
  }
  expect(counted(source, env)).toEqual(tallied(source, env));
  expectBilled(source, env);
}

/** What is billed without looking at most of the records, if it can be had so, is what the tally says. */
function expectBilled(source: SessionSource, env: AgentEnv): boolean {
  const rows = new UsageRows();
  const bill = history.billInto!(source, env, new ReadNotes(), rows);
  if (bill === undefined) return false;
  const { usage, head, origins } = history.tally!(source, env, new ReadNotes())!;
  expect(rows.records(0)).toEqual(usage);
  expect(bill.origins).toEqual(origins);
  const { createdMs, startedMs, cwd, branch } = head;
  expect({ ...bill.head, title: "" }).toEqual(
    JSON.parse(JSON.stringify({ title: "", createdMs, startedMs, cwd, branch })),
  );
  return true;
}

/** By who only counts, alone where it can. */
function counted(source: SessionSource, env: AgentEnv): unknown {
  const rows = new UsageRows();
  try {
    const counts = history.tallyInto!(source, env, new ReadNotes(), rows);
    return counts && { ...counts, usage: rows.records(0) };
  } catch (error) {
    return String(error);
  }
}

function tallied(source: SessionSource, env: AgentEnv): unknown {
  try {
    return history.tally!(source, env, new ReadNotes());
  } catch (error) {
    return String(error);
  }
}

describe("the scanner", () => {
  it("agrees with parsing on every recorded thread", () => {
    const sources = history.listSessions(envOf(HOME), new ReadNotes());
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expectSame(source, envOf(HOME));
    expect(sources.some((source) => expectBilled(source, envOf(HOME)))).toBe(true);
  });

  it("counts ordinary threads without anybody reading their records", () => {
    const locators = history.listSessions(envOf(HOME), new ReadNotes()).map(({ locator }) => locator as Locator);
    const plain = locators.filter(({ rollouts: [file] }) => !file!.compressed && !file!.document);
    const alone = plain.filter(({ rollouts: [file], name }) => {
      const own = { file: file!, inherited: false, continues: false, end: UNLIMITED };
      return countThread([own], name, new UsageRows());
    });
    expect(alone.length).toBeGreaterThan(0);
  });

  it("keeps apart what follows names too long to be remembered, and what stands in lists", () => {
    const written = new WrittenHome();
    const at = legacy("2026-03-01T10:00:00.000Z");
    const id = uuidAt("2026-03-01T10:00:00.000Z");
    const long = { ["n".repeat(40)]: 1, input_tokens: 100, output_tokens: 7 };
    const counts = [
      { total_token_usage: long },
      { last_token_usage: long },
      { total_token_usage: { input_tokens: 300 }, last_token_usage: { input_tokens: 200 } },
      { total_token_usage: [{ input_tokens: 400 }], last_token_usage: { input_tokens: 300 } },
      { total_token_usage: { input_tokens: 500 }, last_token_usage: [{ input_tokens: 400 }] },
    ];
    const lines = counts.map((info) => at.line("event_msg", { type: "token_count", info }));
    written.rollout(id, [at.meta(id), at.prompt("a"), at.reply("1"), ...lines]);
    expectSame(written.source(id), written.env);
    written.remove();
  });

  it("agrees with parsing on totals that are written again, in threads of their own and in others' forks", () => {
    const written = new WrittenHome();
    const random = randomFrom(12);
    const headers: Json[] = [
      {},
      { forked_from_id: uuidAt("2026-02-01T10:00:00.000Z") },
      { source: { subagent: { thread_spawn: { parent_thread_id: uuidAt("2026-02-01T10:00:00.000Z") } } } },
    ];
    for (const fields of headers) {
      const id = uuidAt("2026-03-01T10:00:00.000Z");
      const records = [legacy("2026-03-01T10:00:00.000Z").meta(id, fields)];
      // At the beginning of a fork all may be another thread's.
      if (fields["forked_from_id"] !== undefined) {
        records.push(legacy("2026-03-01T10:00:00.001Z").meta(uuidAt("2026-02-01T10:00:00.000Z")));
      }
      for (let step = 0; step < 60; step++) {
        const at = legacy(new Date(Date.parse("2026-03-01T10:00:00.002Z") + step * (step < 8 ? 1 : 70)).toISOString());
        const total = 100 * (1 + Math.floor(step / 6));
        const kinds = [
          () => at.count(total, 100),
          () => at.count(total, 100),
          () => at.record(`r${step}`, total),
          () => at.prompt("a"),
          () => at.reply("b".repeat(400)),
          () => at.line("response_item", { type: "reasoning", summary: [], encrypted_content: "c".repeat(300) }),
          () => at.turn({ turn_id: uuidAt(step < 8 ? "2026-02-01T10:00:00.000Z" : "2026-03-01T10:00:01.000Z", step) }),
        ];
        records.push(kinds[random(kinds.length)]!());
      }
      const path = written.rollout(id, records);
      const sound = readFileSync(path);
      expectSame(written.source(id), written.env);
      for (let round = 0; round < 2 * ROUNDS; round++) {
        writeFileSync(path, damaged(sound, random));
        expectSame(written.source(id), written.env);
      }
    }
    written.remove();
  });

  it("agrees with parsing however a file is damaged", () => {
    const home = tempHome(HOME);
    const env = envOf(home.path);
    const sources = history.listSessions(env, new ReadNotes());
    const random = randomFrom(11);
    for (const source of sources) {
      for (const { path } of source.files.filter((file) => /\.jsonl$/.test(file.path))) {
        const sound = readFileSync(path);
        for (let round = 0; round < ROUNDS; round++) {
          writeFileSync(path, damaged(sound, random));
          expectSame(source, env);
        }
        writeFileSync(path, sound);
      }
    }
  });
});

const ROUNDS = 16;
