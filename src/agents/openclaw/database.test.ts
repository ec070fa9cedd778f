/** Cases that the recorded database lacks; each changes a copy of it. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { sumOf } from "../../../test/support/agents/recorded-trees.ts";
import { copiedHome } from "../../../test/support/agents/made-home.ts";
import openclaw from "./index.ts";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";

const SESSIONS = ".openclaw/agents/main/sessions";
const REWOUND = "40debdc8-f23d-4f2a-a603-3e4fa007775d";
const REWOUND_KEY = "agent:main:explicit:rewinds";
const BEFORE_REWIND = "a628db0f-4403-4df9-91c2-ebd738325236";
const MAIN = "57e95e85-24bb-46c3-b281-08e19c2cfacf";
const DEMO_LINES = 5;

let home: string;

beforeEach(() => {
  home = copiedHome(join(FIXTURES, "home")).home;
});

function change(use: (database: InstanceType<typeof DatabaseSync>) => void): void {
  const database = new DatabaseSync(join(home, ".openclaw/agents/main/agent/openclaw-agent.sqlite"));
  try {
    use(database);
  } finally {
    database.close();
  }
}

/** Copies a recorded window to a new one and points the key at it. */
function copyWindow(
  database: InstanceType<typeof DatabaseSync>,
  from: string,
  to: string,
  key: string,
  at: number,
): void {
  database.exec(`
    INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, created_at)
      VALUES ('${key}', '${to}', '{}', ${at}, ${at}) ON CONFLICT DO UPDATE SET current_session_id = '${to}';
    INSERT INTO session_windows (session_id, session_key, created_at, updated_at) VALUES ('${to}', '${key}', ${at}, ${at});
    INSERT INTO transcript_events (session_id, seq, event_json, created_at)
      SELECT '${to}', seq, CASE seq WHEN 0 THEN json_set(event_json, '$.id', '${to}') ELSE event_json END, created_at
      FROM transcript_events WHERE session_id = '${from}';
    INSERT INTO transcript_event_identities (session_id, event_id, seq, event_type, created_at)
      SELECT '${to}', event_id, seq, event_type, created_at FROM transcript_event_identities WHERE session_id = '${from}';`);
}

describe("a fork", () => {
  const FORK = "f0f0f0f0-0000-4000-8000-000000000001";
  const KEY = `agent:main:dashboard:${FORK}`;
  const FORKED_AT = Date.parse("2026-11-15T03:00:00.000Z");

  beforeEach(() => {
    change((database) => {
      copyWindow(database, BEFORE_REWIND, FORK, KEY, FORKED_AT);
      const own = {
        type: "message",
        id: "own-1",
        parentId: "316ddb18-8591-4ea8-8cef-02d6dbeb060f",
        timestamp: "2026-11-15T03:00:05.000Z",
        message: {
          role: "assistant",
          content: [{ type: "text", text: "Forked." }],
          model: "claude-sonnet-4-5",
          usage: { input: 7, output: 3, cost: { total: 0.00007 } },
          responseId: "msg_fork",
          timestamp: FORKED_AT + 5000,
        },
      };
      database
        .prepare("INSERT INTO transcript_events VALUES (?, 99, ?, ?, NULL, NULL, NULL)")
        .run(FORK, JSON.stringify(own), FORKED_AT + 5000);
      database.exec(`UPDATE session_nodes SET fork_source_session_key = '${REWOUND_KEY}',
        fork_source_session_id = '${BEFORE_REWIND}' WHERE session_key = '${KEY}'`);
    });
  });

  it("names its source, marks what was copied, and bills its own part", () => {
    const opened = openHome(home);
    expect(opened.head(FORK).forkedFrom).toBe(REWOUND);
    expect(opened.read(FORK).head.forkedFrom).toBe(REWOUND);
    expect(opened.messages(FORK).map(({ inherited }) => inherited ?? false)).toEqual([true, true, true, true, false]);
    const usage = [...opened.read(FORK).usage()];
    expect(usage.map(({ copied }) => copied ?? false)).toEqual([true, true, false]);
    const sourceKeys = new Set([...opened.read(REWOUND).usage()].map(({ key }) => key));
    expect(usage.filter(({ copied }) => copied).every(({ key }) => sourceKeys.has(key))).toBe(true);
    expect(opened.head(FORK).familyKeys).toEqual(opened.head(REWOUND).familyKeys);
  });

  it("does not pass its source on to a later window of its key", () => {
    const next = "f0f0f0f0-0000-4000-8000-000000000002";
    change((database) => {
      copyWindow(database, "demo-1", next, KEY, FORKED_AT + 1000);
      database.exec(`UPDATE transcript_events SET event_json = replace(event_json, '2026-11-15T02:05', '2026-11-15T04:05')
        WHERE session_id = '${next}'`);
    });
    expect(openHome(home).head(next).forkedFrom).toBeUndefined();
  });
});

describe("a key that continued in a new window", () => {
  it("has a session for each window when the new one began empty, as after a reset", () => {
    const next = "f0f0f0f0-0000-4000-8000-000000000003";
    change((database) => {
      copyWindow(database, "demo-1", next, "agent:main:main", Date.parse("2026-11-16T00:00:00.000Z"));
      database.exec(`UPDATE session_windows SET previous_session_id = '${MAIN}' WHERE session_id = '${next}'`);
    });
    const opened = openHome(home);
    expect(opened.ids).toEqual(expect.arrayContaining([MAIN, next]));
    // The key points at the new one only.
    const resume = (id: string) =>
      openclaw.launch.resume(
        id,
        opened.sources.find(({ sessionId }) => sessionId === id)!,
      );
    expect(resume(next)).toEqual(["openclaw", "resume", "agent:main:main"]);
    expect(resume(MAIN)).toBeUndefined();
  });

  it("has both sessions when a compaction carried only the end over", () => {
    change((database) => {
      database.exec(`DELETE FROM transcript_events WHERE session_id = '${REWOUND}' AND seq IN (4, 5);
        DELETE FROM transcript_event_identities WHERE session_id = '${REWOUND}' AND seq IN (4, 5)`);
    });
    expect(openHome(home).ids).toEqual(expect.arrayContaining([BEFORE_REWIND, REWOUND]));
  });
});

describe("a sub-agent", () => {
  const WATCHED = "f37ddfa9-d20e-437d-9497-3dee03594d20";

  beforeEach(() => {
    change((database) =>
      database.exec(
        "UPDATE session_nodes SET spawned_by = 'agent:main:main' WHERE session_key = 'agent:main:explicit:watched'",
      ),
    );
  });

  it("is grouped under the session its parent's key had when it was started", () => {
    expect(openHome(home).head(WATCHED).parentId).toBe(MAIN);
    const next = "f0f0f0f0-0000-4000-8000-000000000004";
    change((database) =>
      copyWindow(database, "demo-1", next, "agent:main:main", Date.parse("2026-11-16T00:00:00.000Z")),
    );
    expect(openHome(home).head(WATCHED).parentId).toBe(MAIN);
  });

  it("stays with a parent that was rewound afterwards", () => {
    change((database) =>
      database.exec(`UPDATE session_nodes SET spawned_by = '${REWOUND_KEY}' WHERE session_key = 'agent:main:explicit:watched';
        UPDATE session_windows SET created_at = 1794708496000 WHERE session_id = '${WATCHED}'`),
    );
    expect(openHome(home).head(WATCHED).parentId).toBe(REWOUND);
  });
});

describe("an archived transcript", () => {
  const GONE = "d0d0d0d0-0000-4000-8000-000000000001";
  const NAME = `${GONE}.jsonl.deleted.2026-11-15T04-00-00.000Z.3f9a.zst`;
  const recorded = join(
    FIXTURES,
    "home-archives",
    SESSIONS,
    "124e4e03-f072-4a92-a17b-24c08f63ec31.jsonl.deleted.2026-11-15T04-00-00.000Z.3f9a.zst",
  );

  beforeEach(() => {
    change((database) =>
      database
        .prepare(
          "INSERT INTO session_transcript_archives (session_id, generation, session_key, reason, encoding, archive_blob, archive_sha256, archive_name, created_at) VALUES (?, '3f9a', 'agent:main:x', 'deleted', 'zstd', ?, ?, ?, 1)",
        )
        .run(GONE, readFileSync(recorded), "0".repeat(64), NAME),
    );
  });

  it("is read from the database", () => {
    const opened = openHome(home);
    expect(opened.head(GONE)).toMatchObject({ title: "Draft the release notes", archived: true });
    expect(opened.messages(GONE)).toHaveLength(4);
  });

  it("is listed once when it was also published as a file", () => {
    mkdirSync(join(home, SESSIONS), { recursive: true });
    copyFileSync(recorded, join(home, SESSIONS, NAME));
    const opened = openHome(home);
    expect(opened.ids.filter((id) => id.startsWith(GONE))).toEqual([GONE]);
    expect(opened.messages(GONE)).toHaveLength(4);
  });
});

describe("a transcript in cold storage", () => {
  const COLD = "c0c0c0c0-0000-4000-8000-000000000001";
  const NAME = `${"ab".repeat(32)}.jsonl.zst`;
  const bytes = readFileSync(join(FIXTURES, "cold-storage.jsonl.zst"));

  function putAway(storage: "file" | "sqlite"): void {
    change((database) => {
      database.exec(`INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, label)
          VALUES ('agent:main:old', '${COLD}', '{}', 1, 'Put away');
        INSERT INTO session_windows (session_id, session_key, created_at, updated_at) VALUES ('${COLD}', 'agent:main:old', 1, 1)`);
      database
        .prepare("INSERT INTO session_transcript_cold_archives VALUES (?, 'g', ?, ?, 5, 1, 1, 5, 1, ?, ?)")
        .run(COLD, NAME, "0".repeat(64), storage, storage === "file" ? null : bytes);
    });
  }

  it("is read from its file", () => {
    putAway("file");
    mkdirSync(join(home, SESSIONS, "cold"), { recursive: true });
    writeFileSync(join(home, SESSIONS, "cold", NAME), bytes);
    const opened = openHome(home);
    expect(opened.head(COLD)).toMatchObject({ title: "Put away", cwd: "/home/user/dev/shop-cli" });
    expect(opened.messages(COLD).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(opened.read(COLD).raw()).toHaveLength(DEMO_LINES + 1);
  });

  it("is read from the database after a restored backup", () => {
    putAway("sqlite");
    expect(openHome(home).messages(COLD)).toHaveLength(2);
  });

  it("is reported when its file is gone", () => {
    putAway("file");
    const opened = openHome(home);
    expect(opened.ids).not.toContain(COLD);
    expect(opened.notes.skipped[0]!.reason).toContain(COLD);
  });
});

describe("an older schema", () => {
  it("with sessions and session_entries is read the same way", () => {
    change((database) =>
      database.exec(`PRAGMA foreign_keys = OFF;
        CREATE TABLE sessions AS SELECT session_id, session_key, created_at, updated_at FROM session_windows;
        CREATE TABLE session_entries AS SELECT session_key, current_session_id AS session_id,
          json_set(entry_json, '$.spawnedBy', iif(label IS NULL, NULL, 'agent:main:main')) AS entry_json, updated_at FROM session_nodes;
        DROP TABLE session_windows; DROP TABLE session_nodes; DROP TABLE transcript_event_identities;
        DROP TABLE session_transcript_archives; DROP TABLE session_transcript_cold_archives`),
    );
    const opened = openHome(home);
    expect(opened.ids).toHaveLength(14);
    expect(opened.head("56ae44dd-f407-49ae-ad7b-2cbdf502d4cd")).toMatchObject({
      title: "Shop team group",
      parentId: MAIN,
    });
    // Nothing says that the window includes the one before the rewind, but its requests have the same keys.
    const keys = (id: string): string[] => [...opened.read(id).usage()].map(({ key }) => key);
    expect(keys(REWOUND)).toEqual(expect.arrayContaining(keys(BEFORE_REWIND)));
  });

  it("without compressed events or any index of sessions gives what it has", () => {
    change((database) =>
      database.exec(`PRAGMA foreign_keys = OFF;
        CREATE TABLE plain AS SELECT session_id, seq, event_json, created_at FROM transcript_events WHERE event_json IS NOT NULL;
        DROP TABLE transcript_events; ALTER TABLE plain RENAME TO transcript_events;
        DROP TABLE session_windows; DROP TABLE session_nodes`),
    );
    const opened = openHome(home);
    expect(opened.ids).toHaveLength(14);
    expect(sumOf(opened.read("demo-1").usage())).toMatchObject({ input: 1203, output: 41 });
  });
});

describe("every table of the recorded database", () => {
  const READ = [
    "session_nodes",
    "session_windows",
    "transcript_events",
    "transcript_event_identities",
    "session_transcript_archives",
    "session_transcript_cold_archives",
  ];
  /** Transcript indexes, feature state, and data about agents instead of sessions. */
  const IGNORED =
    /^(?:sqlite_sequence|schema_meta|session_transcript_(?:fts\w*|active_events|index_state)|trajectory_runtime_events|transcript_rewrite_watermarks|session_(?:key_contract|participants|members|suggestions|conversations|goal_operations|input_completions|pending_inputs|progress_cards|canonical_validation_pending)|memory_\w+|standing_intents\w*|board_\w+|acp_\w+|auth_profile_\w+|cache_entries|context_engine_turn_outbox|conversation\w*|heartbeat_outcomes|message_tool_run_outcomes)$/;

  it("is read or left out on purpose", () => {
    change((database) => {
      const tables = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => String((row as { name: unknown }).name));
      expect(tables.filter((name) => !READ.includes(name) && !IGNORED.test(name))).toEqual([]);
      expect(READ.filter((name) => !tables.includes(name))).toEqual([]);
    });
  });
});
