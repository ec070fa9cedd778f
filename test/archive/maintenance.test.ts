/** Maintenance of an archive after a push: redact, unshare, look up. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAddress } from "../../src/archive/address.ts";
import { addMember, removeMember } from "../../src/archive/members.ts";
import { patternOf, purge, type PurgeResult } from "../../src/archive/purge.ts";
import type { PushOptions } from "../../src/archive/push.ts";
import { Redactor } from "../../src/redaction/redactor.ts";
import { retain } from "../../src/archive/retention.ts";
import { shareSessions } from "../../src/archive/share.ts";
import { sharingRecord } from "../../src/archive/sharing-record.ts";
import { connected, type Connection } from "../../src/archive/store/connection.ts";
import { createClient } from "../../src/index.ts";
import { madeAgent } from "../support/made-agent.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { contentsOf, dumpOf, envOf, makeArchive, pushFrom, type Archive } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

const as = <T>(archive: Archive, role: string, work: (connection: Connection) => Promise<T>): Promise<T> =>
  connected(parseAddress(archive.address(role)), work);

async function pushMade(
  archive: Archive,
  role: string,
  sessions: Parameters<typeof madeAgent>[1],
  options: Partial<PushOptions> = {},
) {
  const env = envOf(tempHome().path);
  const client = createClient({ env });
  client.adapters.register(madeAgent("made", sessions));
  return pushFrom(archive, role, env, { client, ...options });
}

const dump = (archive: Archive): Promise<string> => dumpOf(postgres, archive);

describe("a leaked value", () => {
  // Letters and dots, which no rule treats as a secret.
  const LEAK = "plumbago.verdigris.ossuary";
  const usage = {
    key: "k",
    at: Date.parse("2026-05-05T10:00:00Z"),
    model: `model-${LEAK}`,
    tokens: { input: 1, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1, thinking: 0 },
  };
  const SESSIONS = [
    {
      id: "leaky",
      head: { title: `About ${LEAK}`, cwd: `/home/${LEAK}`, branch: LEAK },
      messages: [
        { role: "user" as const, content: `say ${LEAK}` },
        {
          role: "assistant" as const,
          content: "ok",
          thinking: LEAK,
          toolCalls: [{ toolCallId: "1", toolName: "t", input: { a: [`"${LEAK}"\\n`] } }],
        },
      ],
      usage: [usage],
    },
    { id: `id-${LEAK}`, messages: [{ role: "user" as const, content: "x" }] },
    {
      id: "clean",
      messages: [{ role: "user" as const, content: "nothing" }],
      usage: [{ ...usage, key: "other", model: "m" }],
    },
  ];
  const purged = (archive: Archive, pattern: string, dryRun: boolean): Promise<PurgeResult> =>
    as(archive, "alice", (connection) =>
      purge(connection, { pattern, dryRun, prices: createClient({ env: envOf("/nowhere") }).sessions.prices }),
    );

  it("is removed from every row and from the search, and everybody who could read it is named", async () => {
    const archive = await makeArchive(postgres);
    await pushMade(archive, "alice", SESSIONS);
    await pushMade(archive, "alice", SESSIONS, { machine: "two" });
    await pushMade(archive, "bob", [SESSIONS[0]!]);
    const session = { agent: "made", sessionId: "leaky" };
    const share = (team: string | null) =>
      as(archive, "alice", (connection) => shareSessions(connection, { session, team }));
    await share("red");
    await as(archive, "keeper", (connection) => removeMember(connection, "bob", "red"));
    await share(null);
    // Joined after it was unshared.
    await as(archive, "keeper", (connection) => addMember(connection, { member: "carol", team: "red" }));
    const before = await dump(archive);

    const planned = await purged(archive, patternOf(LEAK), true);
    expect(await dump(archive)).toBe(before);
    const result = await purged(archive, patternOf(LEAK), false);
    expect({ ...result, readers: [] }).toEqual({ ...planned, readers: [] });
    expect(result).toMatchObject({
      looked: 3,
      sessions: [`made:id-${LEAK}`, "made:leaky"],
      removed: [`made:id-${LEAK}`],
      machines: ["one", "two"],
      failed: [],
    });
    expect(result.readers).toEqual([{ reader: "bob", team: "red", sessions: 1, since: expect.any(Date) }]);
    // Bob keeps his own copy.
    await postgres.sql(
      "DELETE FROM amux.copies WHERE owner = 'bob'; DELETE FROM amux.sessions WHERE owner = 'bob'",
      [],
      archive.database,
    );
    const after = await dump(archive);
    for (const word of [LEAK, "plumbago", "verdigris", "ossuary"]) expect(after.includes(word), word).toBe(false);
    const sessions = archive.sessions("alice", envOf("/nowhere"));
    expect((await sessions.listAll()).map(({ title }) => title)).toContain("About [redacted purged]");
    expect(await sessions.search({ text: "verdigris" })).toEqual([]);
    expect((await sessions.totalCost()).requestCount).toBe(2);
    expect((await purged(archive, patternOf(LEAK), false)).sessions).toEqual([]);
  });

  it("removes only the session whose own id contains it; what cannot be changed is listed and stays", async () => {
    const archive = await makeArchive(postgres);
    const messages = [{ role: "user" as const, content: "x" }];
    const sessions = [
      { id: `id-${LEAK}`, messages },
      { id: "fork", head: { forkedFrom: `id-${LEAK}` }, messages },
      { id: "keyed", messages, usage: [{ ...usage, key: LEAK, model: "m" }] },
    ];
    await pushMade(archive, "alice", sessions, { team: "red" });
    await postgres.sql(
      `INSERT INTO amux.runs (owner, run_id, agent, tags, run) VALUES ('alice', 'odd', 'made', '{}', '{"no":"run"}')`,
      [],
      archive.database,
    );
    const result = await purged(archive, patternOf(LEAK), false);
    expect(result).toMatchObject({
      removed: [`made:id-${LEAK}`],
      recorded: 1,
      runs: 0,
      failed: [
        { unifiedId: "made:fork", reason: expect.stringContaining("head.familyKeys") },
        { unifiedId: "made:keyed", reason: expect.stringContaining("usage[0].key") },
        { unifiedId: "run odd", reason: "its row is not in amux's format" },
      ],
      readers: [{ reader: "bob", team: "red", sessions: 3 }],
    });
    const left = await archive.sessions("alice", envOf("/nowhere")).listAll();
    expect(left.map(({ unifiedId }) => unifiedId).sort()).toEqual(["made:fork", "made:keyed"]);
    expect(await postgres.sql("SELECT run_id FROM amux.runs", [], archive.database)).toEqual([{ run_id: "odd" }]);
    // The log still says that something was shared, but not its title.
    const record = await as(archive, "bob", (connection) => sharingRecord(connection, 10));
    expect(record.map(({ unifiedId }) => unifiedId)).toContain("made:[redacted purged]");
    expect(JSON.stringify(record)).not.toContain(LEAK);
    await as(archive, "alice", async (connection) => {
      await connection.rows("SELECT amux.purge_sharing('made', 'fork')");
      expect((await sharingRecord(connection, 10)).map(({ unifiedId }) => unifiedId)).toContain("made:fork");
    });
  });

  it("is not sent again by the command that removed it; a pattern that matches everything is refused", async () => {
    const archive = await makeArchive(postgres);
    const home = tempHome();
    const folder = join(home.path, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const line = { type: "user", uuid: "1", sessionId: "11111111-2222-4333-8444-555555555555", cwd: "/x" };
    const write = (text: string): void =>
      writeFileSync(
        join(folder, "11111111-2222-4333-8444-555555555555.jsonl"),
        `${JSON.stringify({ ...line, timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: text } })}\n`,
      );
    write(`here is ${LEAK}`);
    const options = { home: home.path, vars: { AMUX_ARCHIVE: archive.address("alice") } };
    expect((await warmCli(["archive", "push"], options)).code).toBe(0);
    expect(await dump(archive)).toContain(LEAK);
    const everything = await warmCli(["archive", "purge", "--pattern", "."], options);
    expect([everything.code, everything.stderr]).toEqual([2, expect.stringContaining("matches nearly everything")]);
    const rules = join(home.path, ".agent-mux/redact.json");
    mkdirSync(join(home.path, ".agent-mux"), { mode: 0o700, recursive: true });
    writeFileSync(rules, "no rules");
    expect((await warmCli(["archive", "purge", LEAK], options)).code).toBe(7);
    expect(await dump(archive)).toContain(LEAK);
    rmSync(rules);
    const said = await warmCli(["archive", "purge", LEAK], options);
    expect(said.stdout).toMatch(
      /^Removed from 1 session \(\d+ places?\)\.\nNone of these sessions was ever shared\.\n$/,
    );
    write(`here is ${LEAK}, and more`);
    expect((await warmCli(["archive", "push"], options)).code).toBe(0);
    expect(await dump(archive)).not.toContain(LEAK);
    expect(JSON.parse(readFileSync(rules, "utf8"))).toHaveLength(1);
  });
});

describe("a session that is too old", () => {
  it("is removed only on request, with all its rows, and no push brings it back", async () => {
    const archive = await makeArchive(postgres);
    const at = (date: string) => ({ createdMs: Date.parse(date), updatedMs: Date.parse(date) });
    const sessions = [
      { id: "old", head: { title: "old", ...at("2026-01-01") }, messages: [{ role: "user" as const, content: "x" }] },
      { id: "new", head: { title: "new", ...at("2026-06-01") }, messages: [{ role: "user" as const, content: "y" }] },
    ];
    await pushMade(archive, "alice", sessions);
    await pushMade(archive, "bob", sessions);
    const before = await contentsOf(postgres, archive);
    const ask = (remove: boolean) =>
      as(archive, "alice", (connection) => retain(connection, { before: new Date("2026-03-01"), remove }));
    expect(await ask(false)).toMatchObject({ sessions: 1, messages: 1 });
    expect(await contentsOf(postgres, archive)).toEqual(before);
    expect(await ask(true)).toMatchObject({ sessions: 1, messages: 1 });
    const titles = async (role: string) =>
      (await archive.sessions(role, envOf("/nowhere")).listAll()).map(({ title }) => title).sort();
    expect(await titles("alice")).toEqual(["new"]);
    expect(await titles("bob")).toEqual(["new", "old"]);
    expect(await pushMade(archive, "alice", sessions)).toMatchObject({ sent: 0, unchanged: 1, tooOld: 1 });
    expect(await titles("alice")).toEqual(["new"]);

    const options = { home: tempHome().path, vars: { AMUX_ARCHIVE: archive.address("bob") } };
    const dry = await warmCli(["archive", "retention", "--older-than", "2026-03-01"], options);
    expect(dry.stdout).toMatch(/^1 sessions with 1 messages .*Nothing was removed; --yes removes them\.\n$/);
    await warmCli(["archive", "retention", "--older-than", "2026-03-01", "--yes"], options);
    expect(await titles("bob")).toEqual(["new"]);
    expect((await warmCli(["archive", "retention"], options)).stdout).toMatch(/changed before 2026-0/);
    expect((await warmCli(["archive", "retention", "--off"], options)).stdout).toBe("Everything is kept.\n");
  });
});

describe("an age that would remove nearly everything", () => {
  it.each(["6m", "90min", "12h", "today", "2999-01-01", "soon"])("is refused: %s", async (age) => {
    const options = { home: tempHome().path, vars: { AMUX_ARCHIVE: "postgres://nobody@127.0.0.1:1/none" } };
    const { code, stderr } = await warmCli(["archive", "retention", "--older-than", age], options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--older-than takes an age of a day or more`)]);
  });
});

describe("the sharing record", () => {
  it("does not grow when a session is withheld that was pushed under older rules", async () => {
    const archive = await makeArchive(postgres);
    const sessions = [
      { id: "odd", messages: [{ role: "user" as const, content: "it printed kJ8sQ2mVx7ZpL4tRw9YbN3cHd6FgA1uE" }] },
      { id: "plain", messages: [{ role: "user" as const, content: "nothing" }] },
    ];
    const rules = { redactor: new Redactor({ only: true }), version: "older" };
    expect(await pushMade(archive, "alice", sessions, { rules })).toMatchObject({ sent: 2 });
    const again = await pushMade(archive, "alice", sessions, { team: "red" });
    expect(again).toMatchObject({ shared: 1, withheld: [{ unifiedId: "made:odd" }] });
    const seen = await archive.sessions("bob", envOf("/nowhere")).listAll();
    expect(seen.map(({ unifiedId }) => unifiedId)).toEqual(["made:plain"]);
    await as(archive, "alice", (connection) => shareSessions(connection, { team: null }));
    expect(await pushMade(archive, "alice", sessions, { team: "red" })).toMatchObject({ unchanged: 1, shared: 1 });
  });

  const UNSURE = "it printed kJ8sQ2mVx7ZpL4tRw9YbN3cHd6FgA1uE";
  const older = { redactor: new Redactor({ only: true }), version: "older" };
  const seenBy = async (archive: Archive, role: string) =>
    (await archive.sessions(role, envOf("/nowhere")).listAll()).map(({ unifiedId }) => unifiedId);

  it("ends the sharing of a session that today's rules withhold", async () => {
    const archive = await makeArchive(postgres);
    const sessions = [{ id: "odd", messages: [{ role: "user" as const, content: UNSURE }] }];
    await pushMade(archive, "alice", sessions, { rules: older, team: "red" });
    expect(await seenBy(archive, "bob")).toEqual(["made:odd"]);
    const again = await pushMade(archive, "alice", sessions);
    expect(again).toMatchObject({ withheld: [{ unifiedId: "made:odd" }], unshared: [{ unifiedId: "made:odd" }] });
    expect(await seenBy(archive, "bob")).toEqual([]);
    expect(await seenBy(archive, "alice")).toEqual(["made:odd"]);
    // What today's rules allow stays shared, though they now withhold more of the session.
    const calm = [{ id: "calm", messages: [{ role: "user" as const, content: "nothing" }] }];
    await pushMade(archive, "alice", calm, { team: "red" });
    const grown = [{ id: "calm", messages: [{ role: "user" as const, content: UNSURE }], updatedMs: 5 }];
    expect(await pushMade(archive, "alice", grown)).toMatchObject({ withheld: [{}], unshared: [] });
    expect(await seenBy(archive, "bob")).toEqual(["made:calm"]);
  });

  it("does not grow when another machine pushes under other rules", async () => {
    const archive = await makeArchive(postgres);
    const said = (content: string) => [{ id: "two-states", messages: [{ role: "user" as const, content }] }];
    await pushMade(archive, "alice", said(UNSURE), { rules: older, machine: "two" });
    const unshared = [{ unifiedId: "made:two-states", reason: expect.stringContaining("another machine") }];
    // Once while sending and once when it is already stored.
    for (const count of ["sent", "unchanged"]) {
      const result = await pushMade(archive, "alice", said("nothing"), { team: "red" });
      expect(result).toMatchObject({ [count]: 1, shared: 0, unshared });
      expect(await seenBy(archive, "bob")).toEqual([]);
    }
    await pushMade(archive, "alice", said("nothing more"), { machine: "two" });
    expect(await pushMade(archive, "alice", said("nothing"), { team: "red" })).toMatchObject({
      shared: 1,
      unshared: [],
    });
    expect(await seenBy(archive, "bob")).toEqual(["made:two-states"]);
  });

  it("is written by the database, once for each change, and nobody else can write it", async () => {
    const archive = await makeArchive(postgres);
    const sessions = [{ id: "a", messages: [{ role: "user" as const, content: "x" }] }];
    expect(await pushMade(archive, "alice", sessions, { team: "red" })).toMatchObject({ sent: 1, shared: 1 });
    expect(await pushMade(archive, "alice", sessions, { team: "red" })).toMatchObject({ sent: 0, shared: 0 });
    await expect(pushMade(archive, "alice", sessions, { team: "blue" })).rejects.toThrow("not in the team");
    await as(archive, "alice", (connection) => shareSessions(connection, { team: null }));
    const seen = (role: string) => as(archive, role, (connection) => sharingRecord(connection, 10));
    const line = { owner: "alice", unifiedId: "made:a", at: expect.any(Date) };
    expect(await seen("alice")).toEqual([
      { ...line, team: null },
      { ...line, team: "red" },
    ]);
    expect(await seen("bob")).toEqual([{ ...line, team: "red" }]);
    expect(await seen("carol")).toEqual([]);
    for (const change of [
      "DELETE FROM amux.sharing",
      "UPDATE amux.sharing SET team = NULL",
      "INSERT INTO amux.sharing (owner, agent, session_id) VALUES ('bob', 'x', 'x')",
      "SELECT * FROM amux.membership",
    ]) {
      await expect(as(archive, "alice", (connection) => connection.rows(change))).rejects.toThrow("denied");
    }
    const said = await warmCli(["archive", "shared"], {
      home: "/nowhere",
      vars: { AMUX_ARCHIVE: archive.address("alice") },
    });
    expect(said.stdout).toMatch(/alice\s+\(no longer\)\s+made:a\n.*alice\s+red\s+made:a\n$/);
  });
});

describe("an uncertain finding", () => {
  it("withholds its session until somebody confirms the redaction", async () => {
    const archive = await makeArchive(postgres);
    const value = "kJ8sQ2mVx7ZpL4tRw9YbN3cHd6FgA1uE";
    const sessions = [
      { id: "odd", messages: [{ role: "user" as const, content: `it printed ${value} twice` }] },
      { id: "said", messages: [{ role: "user" as const, content: 'The password for root is "swordfish".' }] },
      { id: "plain", messages: [{ role: "user" as const, content: "nothing" }] },
    ];
    const held = await pushMade(archive, "alice", sessions);
    expect(held).toMatchObject({ sent: 1 });
    expect(held.withheld).toEqual([
      {
        unifiedId: "made:odd",
        reason: expect.stringMatching(/^may hold a secret: messages\[0\]\.content \(unlabelled-value, 32/),
      },
      { unifiedId: "made:said", reason: expect.stringContaining("said-word") },
    ]);
    expect(await pushMade(archive, "alice", sessions, { takeUnsure: true })).toMatchObject({ sent: 2, withheld: [] });
    const all = await dump(archive);
    expect(all).not.toMatch(/kj8sq2mvx7|swordfish/i);
    expect(all).toContain("twice");
  });
});
