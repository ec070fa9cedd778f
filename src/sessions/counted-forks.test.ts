/** Rows with counts of threads that begin in another one's file, or with copies of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../test/support/damaged-file.ts";
import { tempHome, type TempHome } from "../../test/support/temp-home.ts";
import type { AgentEnv } from "../agents/adapter.ts";
import { isPacked } from "../agents/packed-rows.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import { UsageRows } from "../agents/usage-rows.ts";
import { createClient } from "../index.ts";
import type { Json } from "../lib/fields.ts";
import { listTextOf, rowPieces } from "./list-text.ts";
import type { SessionManager } from "./manager.ts";
import { THREAD_TITLES } from "./testing/thread-titles.ts";

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

/** Of version 7: it tells when it was made. */
function uuidAt(time: string, serial: number): string {
  const ms = Date.parse(time).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${serial.toString(16).padStart(12, "0")}`;
}

interface Records {
  meta(id: string, fields?: Json): Json;
  /** A turn in which something is asked and answered. */
  turn(key: string, text: string, index: number): Json[];
}

function recordsAt(timestamp: string): Records {
  const line = (type: string, payload: Json): Json => ({ timestamp, type, payload });
  return {
    meta: (id, fields = {}) => line("session_meta", { id, timestamp, cwd: "/p", cli_version: "0.166.0", ...fields }),
    turn(key, text, index) {
      const tokens = {
        input_tokens: 100 + index,
        cached_input_tokens: 0,
        output_tokens: 1,
        reasoning_output_tokens: 0,
      };
      const turn_id = uuidAt("2026-03-01T12:00:00.500Z", index);
      return [
        line("turn_context", { cwd: "/p", model: `gpt-5.${index % 3}`, turn_id }),
        line("event_msg", { type: "user_message", message: text, images: [] }),
        line("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] }),
        line("token_usage_record", { response_id: `${key}_${index}`, usage: tokens, thread_token_usage: tokens }),
        line("event_msg", {
          type: "token_count",
          info: { total_token_usage: tokens, last_token_usage: tokens },
          rate_limits: null,
        }),
      ];
    },
  };
}

function numbered(first: number, records: readonly Json[]): Json[] {
  return records.map(({ timestamp, ...rest }, index) => ({ timestamp, ordinal: first + index, ...rest }));
}

function idOf(hour: number, serial: number): string {
  return uuidAt(`2026-03-01T${hour}:00:00.000Z`, serial);
}

function base(id: string, end: number): Json {
  return { forked_from_id: id, history_base: { thread_id: id, end_ordinal_exclusive: end, end_byte_offset: 1 } };
}

/** Threads of all kinds, each with every title; gives their paths. */
function write(home: TempHome): string[] {
  const [ten, eleven, noon] = [10, 11, 12].map((hour) => recordsAt(`2026-03-01T${hour}:00:00.000Z`)) as [
    Records,
    Records,
    Records,
  ];
  const rollout = (id: string, records: readonly Json[]): string =>
    home.write(
      `.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${id}.jsonl`,
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
  return THREAD_TITLES.flatMap((title, index) => {
    const [root, fork, again, silent, copy, child, lost] = [10, 11, 12, 11, 11, 11, 12].map((hour, kind) =>
      idOf(hour, 100 * (kind + 1) + index),
    ) as [string, string, string, string, string, string, string];
    const first = ten.turn("root", `Root: ${title}`, index);
    return [
      rollout(root, numbered(0, [ten.meta(root), ...first, ...ten.turn("more", "More", index)])),
      rollout(fork, numbered(6, [eleven.meta(fork, base(root, 6)), ...eleven.turn("fork", title, index)])),
      rollout(again, numbered(12, [noon.meta(again, base(fork, 12)), ...noon.turn("again", title, index)])),
      // Nothing is said in it: its title is what was asked first.
      rollout(silent, numbered(6, [eleven.meta(silent, base(root, 6))])),
      rollout(copy, [eleven.meta(copy), ten.meta(root), ...first, ...noon.turn("copy", title, index)]),
      rollout(child, [
        eleven.meta(child, { parent_thread_id: root, source: { subagent: "review" } }),
        ...noon.turn("child", title, index),
      ]),
      rollout(lost, [noon.meta(lost, base("nowhere", 3)), ...noon.turn("lost", title, index)]),
    ];
  });
}

async function expectSame(home: string): Promise<void> {
  const sessions = createClient({ env: envOf(home) }).sessions as SessionManager;
  const question = { counts: true, index: "none", limit: 1e6 } as const;
  const packed = await sessions.listText(undefined, question);
  expect(Buffer.isBuffer(packed)).toBe(true);
  expect(String(packed)).toBe(listTextOf(await sessions.listAll(question)));
}

describe("a packed list with counts", () => {
  it("is the same where threads begin in others or with copies of them, also in damaged files", async () => {
    const home = tempHome();
    const paths = write(home);
    await expectSame(home.path);
    const random = randomFrom(7);
    for (let round = 0; round < 8; round++) {
      for (const path of paths) if (random(4) === 0) writeFileSync(path, damaged(readFileSync(path), random));
      await expectSame(home.path);
    }
  });

  it("packs threads that begin in other files, or with copies", async () => {
    const home = tempHome();
    write(home);
    const env = envOf(home.path);
    const history = (await createClient().adapters.get("codex")).history!;
    const packer = history.countRows!(rowPieces("codex"));
    const packed = history.listSessions(env, new ReadNotes()).filter((source) => {
      const bill = packer.count(source, env, new ReadNotes(), new UsageRows());
      return bill !== undefined && isPacked(bill);
    });
    const serials = packed.map(({ sessionId }) => Number.parseInt(sessionId.slice(-12), 16));
    expect(serials.filter((serial) => serial % 100 === 0).sort((a, b) => a - b)).toEqual([
      100, 200, 300, 400, 500, 600,
    ]);
  });
});
