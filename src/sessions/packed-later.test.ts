/** Rows of threads whose first prompt is not among the first lines: behind copies of other threads, or behind long instructions. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../test/support/damaged-file.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentEnv } from "../agents/adapter.ts";
import { PACKED_LATER } from "../agents/packed-rows.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import { createClient } from "../index.ts";
import { listTextOf, rowPieces } from "./list-text.ts";
import type { SessionManager } from "./manager.ts";
import { THREAD_TITLES } from "./testing/thread-titles.ts";

/** More than is read of a thread's end and, at first, of its beginning. */
const LONG = "x".repeat(26_000);

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

function uuid(n: number): string {
  return `${String(n).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** `ancestors`: threads whose records stand before its own; `instructions`: before its first prompt. */
interface Kind {
  ancestors: number[];
  instructions: string;
  header?: object;
}

const KINDS: Kind[] = [
  { ancestors: [], instructions: "" },
  { ancestors: [901], instructions: "" },
  { ancestors: [902, 903], instructions: LONG },
  { ancestors: [], instructions: LONG },
  { ancestors: [904], instructions: "", header: { forked_from_id: uuid(905) } },
  { ancestors: [906], instructions: "", header: { parent_thread_id: uuid(906) } },
  { ancestors: [], instructions: "y".repeat(120_000) },
  { ancestors: [907], instructions: "", header: { git: { branch: 7 } } },
];

function threadOf(n: number, { ancestors, instructions, header }: Kind, title: string): string {
  const started = Date.UTC(2026, 1, 27) + n * 7_000_001;
  const record = (ms: number, type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: new Date(started + ms).toISOString(), type, payload })}\n`;
  const said = (text: string, ms: number): string =>
    record(ms, "response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] });
  const meta = (id: number, more: object = {}): object => ({
    id: uuid(id),
    timestamp: new Date(started).toISOString(),
    cwd: "/p",
    cli_version: "0.166.0",
    ...more,
  });
  return [
    record(0, "session_meta", meta(n, header)),
    ...ancestors.flatMap((id) => [
      record(1, "session_meta", meta(id)),
      record(2, "event_msg", { type: "user_message", message: `Asked of ${id}` }),
      said(LONG, 3),
    ]),
    record(9000, "turn_context", { turn_id: uuid(n + 1), cwd: "/p", model: "gpt-5.4" }),
    ...(instructions === "" ? [] : [said(instructions, 9001)]),
    record(9002, "event_msg", { type: "user_message", message: title }),
    said(LONG, 9003),
    record(9500, "turn_context", { turn_id: uuid(n + 2), cwd: "/p", model: n % 2 === 0 ? "gpt-5.5" : "gpt-5.4" }),
    said("That.", 9600),
  ].join("");
}

async function expectSame(home: string): Promise<void> {
  const question = { counts: false, index: "none", limit: 1e6 } as const;
  const sessions = createClient({ env: envOf(home) }).sessions as SessionManager;
  const packed = await sessions.listText(undefined, question);
  expect(Buffer.isBuffer(packed)).toBe(true);
  expect(String(packed)).toBe(listTextOf(await sessions.listAll(question)));
}

describe("a packed list", () => {
  it("is the same where first prompts stand behind copies or long instructions, also in damaged files", async () => {
    const random = randomFrom(3);
    const home = tempHome();
    const paths = THREAD_TITLES.flatMap((title, index) =>
      KINDS.map((kind, place) => {
        const n = 1 + KINDS.length * index + place;
        const name = `.codex/sessions/2026/02/27/rollout-2026-02-27T10-00-00-${uuid(n)}.jsonl`;
        return home.write(name, threadOf(n, kind, title));
      }),
    );
    await expectSame(home.path);
    for (let round = 0; round < 6; round++) {
      for (const path of paths) if (random(3) === 0) writeFileSync(path, damaged(readFileSync(path), random));
      await expectSame(home.path);
    }
  });

  it("packs such threads behind the others", async () => {
    const home = tempHome();
    for (const [n, kind] of KINDS.slice(0, 4).entries())
      home.write(
        `.codex/sessions/2026/02/27/rollout-2026-02-27T10-00-00-${uuid(n)}.jsonl`,
        threadOf(n, kind, "Which?"),
      );
    const history = (await createClient().adapters.get("codex")).history!;
    const packer = history.packRows!(rowPieces("codex"));
    const answers = packer.pack(history.listSessions(envOf(home.path), new ReadNotes()));
    expect(answers).toEqual([true, PACKED_LATER, PACKED_LATER, PACKED_LATER]);
    expect(packer.rows()!.count).toBe(4);
  });
});
