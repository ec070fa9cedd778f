import { spawn } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Client } from "pg";
import { parseAddress } from "../../src/archive/address.ts";
import { addMember } from "../../src/archive/members.ts";
import { shareSessions } from "../../src/archive/share.ts";
import { connected } from "../../src/archive/store/connection.ts";
import { migrate } from "../../src/archive/store/migrate.ts";
import { MIGRATIONS } from "../../src/archive/store/schema.ts";
import { createClient, type AgentEnv, type CostAggregationOptions, type SessionMessage } from "../../src/index.ts";
import { madeAgent } from "../support/made-agent.ts";
import { runCli } from "../support/run-cli.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { tempHome } from "../support/temp-home.ts";
import { contentsOf, envOf, makeArchive, pushFrom, recordedHome, type Archive } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

const PEM = ["-----BEGIN RSA PRIVATE", " KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE", " KEY-----"].join("");

describe("pushing", () => {
  it("twice sends nothing the second time, and only what changed the third", async () => {
    const home = recordedHome(tempHome().path, ["claude", "codex"]);
    const env = envOf(home);
    const archive = await makeArchive(postgres);
    const first = await pushFrom(archive, "alice", env);
    const before = await contentsOf(postgres, archive);
    expect(first.sent).toBe(before["sessions"]!.length);
    expect(await pushFrom(archive, "alice", env)).toMatchObject({ sent: 0, changed: 0, unchanged: first.sent });
    expect(await contentsOf(postgres, archive)).toEqual(before);

    const [grown] = transcripts(home);
    const rows = await postgres.sql<{ xmin: string; session: string }>(
      "SELECT xmin, session FROM amux.messages",
      [],
      archive.database,
    );
    appendFileSync(grown!, `${JSON.stringify(userLine(grown!, "One more thing"))}\n`);
    expect(await pushFrom(archive, "alice", env)).toMatchObject({ sent: 0, changed: 1, unchanged: first.sent - 1 });
    const after = await contentsOf(postgres, archive);
    expect(after["messages"]).toHaveLength(before["messages"]!.length + 1);
    // Only the new message of the grown session was written.
    const written = new Set(rows.map(({ xmin }) => xmin));
    const now = await postgres.sql<{ xmin: string }>("SELECT xmin FROM amux.messages", [], archive.database);
    expect(now.filter(({ xmin }) => !written.has(xmin))).toHaveLength(1);
  });

  it("killed in the middle leaves only whole sessions, and the next push sends the rest", async () => {
    const home = recordedHome(tempHome().path, ["claude", "codex"]);
    const archive = await makeArchive(postgres);
    const vars = { AMUX_ARCHIVE: archive.address("alice"), AMUX_MACHINE: "one" };
    const lock = new Client({ connectionString: postgres.address("postgres", archive.database) });
    await lock.connect();
    onTestFinished(() => lock.end());
    // From here on a push blocks inside the transaction of its first session with usage.
    await lock.query("BEGIN; LOCK TABLE amux.usage IN SHARE MODE");
    const pusher = spawn(process.execPath, [join(import.meta.dirname, "../../dist/amux.cjs"), "archive", "push"], {
      env: { PATH: process.env["PATH"], HOME: home, ...vars },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => pusher.once("exit", resolve));
    const isWaiting = async (): Promise<boolean> =>
      (
        await postgres.sql<{ n: number }>(
          "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'",
          [archive.database],
        )
      )[0]!.n > 0;
    await waitFor("the push at the lock", () => {
      expect(pusher.exitCode).toBe(null);
      return isWaiting();
    });
    pusher.kill("SIGKILL");
    await ended;
    await lock.query("ROLLBACK");
    const half = await contentsOf(postgres, archive);
    expect(await torn(archive)).toEqual([]);

    const result = await warmJson<{ sent: number; unchanged: number }>(["archive", "push"], { home, vars });
    expect(result.unchanged).toBe(half["sessions"]!.length);
    expect(result.sent).toBeGreaterThan(0);
    const undisturbed = await makeArchive(postgres);
    await pushFrom(undisturbed, "alice", envOf(home));
    expect(await contentsOf(postgres, archive)).toEqual(await contentsOf(postgres, undisturbed));
  });

  /** Sessions with missing rows. */
  async function torn({ database }: Archive): Promise<unknown[]> {
    return postgres.sql(
      `SELECT s.session_id FROM amux.sessions s
       WHERE s.message_count <> (SELECT count(*) FROM amux.messages m WHERE m.session = s.id AND m.helper = 0)
         OR NOT EXISTS (SELECT 1 FROM amux.copies c WHERE c.session = s.id)
         OR NOT EXISTS (SELECT 1 FROM amux.passages p WHERE p.session = s.id)
       UNION ALL SELECT 'no session' FROM amux.messages m WHERE NOT EXISTS (SELECT 1 FROM amux.sessions s WHERE s.id = m.session)`,
      [],
      database,
    );
  }

  it("from two machines with synced homes gives the same rows in any order, and bills each request once", async () => {
    const one = recordedHome(tempHome().path, ["claude"]);
    const two = tempHome(one).path;
    const [grown, touched] = transcripts(two);
    appendFileSync(grown!, `${JSON.stringify(userLine(grown!, "Went on here"))}\n`);
    utimesSync(touched!, new Date("2026-03-01"), new Date("2026-03-01"));
    cpSync(join(recordedHome(tempHome().path, ["codex"]), ".codex"), join(two, ".codex"), { recursive: true });
    const push = (archive: Archive, machine: string) =>
      pushFrom(archive, "alice", envOf(machine === "one" ? one : two), { machine });
    const [first, second] = [await makeArchive(postgres), await makeArchive(postgres)];
    for (const machine of ["one", "two"]) await push(first, machine);
    for (const machine of ["two", "one"]) await push(second, machine);
    const contents = await contentsOf(postgres, first);
    expect(await contentsOf(postgres, second)).toEqual(contents);
    for (const machine of ["two", "one"]) await push(second, machine);
    expect(await contentsOf(postgres, second)).toEqual(contents);
    // The second machine has everything, and its own copy of the grown session.
    const env = envOf(two);
    const { sessions } = createClient({ env });
    const archived = second.sessions("alice", env);
    expect(await archived.totalCost({ groupBy: "session" })).toEqual(await sessions.totalCost({ groupBy: "session" }));
    const bare = { limit: 1000, counts: false };
    expect((await archived.listAll(bare)).map(({ unifiedId }) => unifiedId).sort()).toEqual(
      (await sessions.listAll(bare)).map(({ unifiedId }) => unifiedId).sort(),
    );
    const copies = contents["copies"]!.length;
    // Equal rows are stored once.
    expect(contents["sessions"]!.length).toBeLessThan(copies);

    const archive = await makeArchive(postgres);
    await Promise.all(["one", "two"].map((machine) => push(archive, machine)));
    expect(await contentsOf(postgres, archive)).toEqual(contents);
  });

  it("keeps both ends of a session that two machines continued", async () => {
    const usage = (key: string, output: number) => ({
      key,
      at: Date.parse("2026-05-05T10:00:00Z"),
      model: "claude-sonnet-5",
      tokens: { input: 10, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output, thinking: 0 },
    });
    const archive = await makeArchive(postgres);
    for (const machine of ["one", "two"]) {
      const env = envOf(tempHome().path);
      const client = createClient({ env });
      client.adapters.register(
        madeAgent("made", [{ id: "same", usage: [usage("shared", 1), usage(machine, 100)], updatedMs: 1000 }]),
      );
      await pushFrom(archive, "alice", env, { client, machine });
    }
    const { outputTokens, requestCount, sessionCount } = await archive.sessions("alice", envOf("/nowhere")).totalCost();
    expect({ outputTokens, requestCount, sessionCount }).toEqual({
      outputTokens: 201,
      requestCount: 3,
      sessionCount: 1,
    });
  });
});

describe("the cost of sessions", () => {
  const at = (time: string): number => Date.parse(`2026-05-05T${time}Z`);
  const usage = (key: string, time: string, more: object = {}) => ({
    key,
    at: at(time),
    model: "claude-sonnet-5",
    tokens: { input: 1000, cached: 10, cacheWrite: 0, cacheWrite1h: 0, output: 100, thinking: 0 },
    ...more,
  });
  const ALONE = [
    {
      id: "alone",
      head: { title: "alone", cwd: "/shop", branch: "main" },
      usage: [usage("a", "10:01:00"), usage("b", "10:14:00"), usage("c", "23:50:00", { model: "nobody-knows" })],
    },
    { id: "silent", head: { title: "silent", usageUnknown: true, createdMs: at("12:00:00") } },
  ];
  const ORIGINAL = { id: "original", head: { title: "it", familyKeys: ["kin"] }, usage: [usage("kin-1", "11:00:00")] };
  const FORK = {
    id: "fork",
    head: { title: "it", familyKeys: ["kin"], forkedFrom: "original" },
    usage: [usage("kin-1", "11:00:00", { copied: true }), usage("own", "11:30:00")],
  };
  const pushAs = async (archive: Archive, role: string, sessions: Parameters<typeof madeAgent>[1], team?: string) => {
    const env = envOf(tempHome().path);
    const client = createClient({ env });
    client.adapters.register(madeAgent("made", sessions));
    return pushFrom(archive, role, env, { client, ...(team === undefined ? {} : { team }) });
  };

  it("is summed in the database, and equals the local store's whoever pushed it in whatever order", async () => {
    const questions = [
      {},
      { groupBy: ["model", "session"] },
      { groupBy: ["day", "project", "branch"], timeZone: "Asia/Kathmandu" },
      { groupBy: ["agent", "tag"], since: new Date(at("10:10:00")), until: new Date(at("11:00:00")) },
      { since: new Date(at("10:14:00")), model: "claude-sonnet-5" },
      { until: new Date(at("10:13:59")) },
      { tags: ["none"] },
    ] as const;
    const home = tempHome();
    const own = tempHome();
    own.write(".agent-mux/prices.json", JSON.stringify({ "nobody-knows": { input: 5, output: 7 } }));
    const pushes = [
      (archive: Archive) => pushAs(archive, "alice", [...ALONE, ORIGINAL], "red"),
      (archive: Archive) => pushAs(archive, "bob", [FORK], "red"),
    ];
    for (const order of [pushes, pushes.toReversed()]) {
      const archive = await makeArchive(postgres);
      for (const push of order) await push(archive);
      const [sums] = await postgres.sql<{ sessions: number }>(
        "SELECT count(DISTINCT session)::integer AS sessions FROM amux.spending",
        [],
        archive.database,
      );
      // Only one of the related sessions is summed at push time; a report finds the other.
      expect(sums?.sessions).toBe(3);
      for (const { path } of [home, own]) {
        const env = envOf(path);
        const local = createClient({ env });
        local.adapters.register(madeAgent("made", [...ALONE, ORIGINAL, FORK]));
        for (const options of questions) {
          const asked = options as CostAggregationOptions;
          expect(await archive.sessions("alice", env).totalCost(asked), JSON.stringify(options)).toEqual(
            await local.sessions.totalCost(asked),
          );
        }
      }
      const part = await archive.sessions("carol", envOf(home.path)).totalCost();
      expect([part.requestCount, part.sessionCount]).toEqual([0, 0]);
    }
  });

  it("is complete where its model, directory or branch is not valid PostgreSQL text", async () => {
    const archive = await makeArchive(postgres);
    const odd = [
      ...ALONE,
      { id: "nul", head: { title: "nul", branch: "a\0b" }, usage: [usage("n", "10:00:00")] },
      { id: "mute", head: { title: "mute", model: "x\0", usageUnknown: true, createdMs: at("12:00:00") } },
      { id: "half", head: { title: "half", cwd: "/x\ud800" }, usage: [usage("h", "10:00:00")] },
    ];
    await pushAs(archive, "alice", odd);
    const env = envOf(tempHome().path);
    const local = createClient({ env });
    local.adapters.register(madeAgent("made", odd));
    for (const groupBy of ["model", "project", "branch"] as const) {
      const expected = await local.sessions.totalCost({ groupBy });
      expect(expected.requestCount).toBe(7);
      expect(await archive.sessions("alice", env).totalCost({ groupBy })).toEqual(expected);
    }
  });

  it("is settled among the copies of one owner, as long as the same people see them", async () => {
    const archive = await makeArchive(postgres);
    const env = envOf(tempHome().path);
    const same = async (sessions: Parameters<typeof madeAgent>[1], added: number): Promise<void> => {
      const local = createClient({ env });
      local.adapters.register(madeAgent("made", sessions));
      for (const groupBy of ["session", "day"] as const) {
        const expected = await local.sessions.totalCost({ groupBy });
        expect(await archive.sessions("alice", env).totalCost({ groupBy })).toEqual(expected);
      }
      const [{ n } = { n: 0 }] = await postgres.sql<{ n: number }>(
        "SELECT count(DISTINCT session)::integer AS n FROM amux.spending",
        [],
        archive.database,
      );
      expect(n).toBe(added);
    };
    await pushAs(archive, "alice", [ORIGINAL]);
    await same([ORIGINAL], 1);
    await pushAs(archive, "alice", [ORIGINAL, FORK]);
    await same([ORIGINAL, FORK], 2);
    const grown = { ...FORK, usage: [...FORK.usage, usage("more", "12:00:00")], updatedMs: 5 };
    await pushAs(archive, "alice", [ORIGINAL, grown]);
    await same([ORIGINAL, grown], 2);
    const shared = { session: { agent: "made", sessionId: "fork" }, team: "red" };
    await connected(parseAddress(archive.address("alice")), (connection) => shareSessions(connection, shared));
    await same([ORIGINAL, grown], 2);
    await pushAs(archive, "alice", [ORIGINAL, grown]);
    // Without the original the whole fork is shown, with it only the fork's own part.
    await same([ORIGINAL, grown], 0);
    expect((await archive.sessions("bob", env).totalCost()).requestCount).toBe(3);
  });

  it("is summed again when a session continues, when a push was killed before it, and at other prices", async () => {
    const archive = await makeArchive(postgres);
    await pushAs(archive, "alice", ALONE);
    const read = async (home: string): Promise<unknown> => {
      const { requestCount, totalUsd } = await archive.sessions("alice", envOf(home)).totalCost();
      return { requestCount, totalUsd };
    };
    const places = (): Promise<{ settled: string | null; rows: number }[]> =>
      postgres.sql(
        `SELECT settled, (SELECT count(*)::integer FROM amux.spending p WHERE p.session = s.id) AS rows
         FROM amux.sessions s ORDER BY session_id`,
        [],
        archive.database,
      );
    const before = await read("/nowhere");
    expect((await places()).map(({ rows }) => rows)).toEqual([2, 1]);
    // As a push leaves it that was killed after its last session.
    await postgres.sql("UPDATE amux.sessions SET settled = NULL", [], archive.database);
    expect(await read("/nowhere")).toEqual(before);
    await pushAs(archive, "alice", ALONE);
    expect((await places()).every(({ settled }) => settled !== null)).toBe(true);

    const [grown, silent] = ALONE;
    const more = { ...grown!, usage: [...grown!.usage!, usage("d", "23:59:00")], updatedMs: at("23:59:00") };
    await pushAs(archive, "alice", [more, silent!]);
    expect((await places()).map(({ rows }) => rows)).toEqual([3, 1]);
    expect(await read("/nowhere")).toMatchObject({ requestCount: 5 });
  });
});

describe("secrets", () => {
  const SECRETS = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "hunter2-but-longer",
    "s3cr3t-of-the-house",
  ];

  function client(env: AgentEnv, odd: unknown) {
    const made = createClient({ env });
    const messages: SessionMessage[] = [
      { role: "user", content: `Use ${SECRETS[0]} and\n${PEM}` },
      {
        role: "assistant",
        content: "ok",
        thinking: `the token is ${SECRETS[1]}`,
        toolCalls: [{ toolCallId: "1", toolName: "bash", input: { env: { DB_PASSWORD: SECRETS[2] } } }],
      },
      {
        role: "tool",
        content: "",
        toolResult: { toolCallId: "1", toolName: "bash", output: `in ${SECRETS[3]}\0\ud800` },
      },
    ];
    made.adapters.register(
      madeAgent("made", [
        { id: "leaky", head: { title: `Title with ${SECRETS[1]}` }, messages },
        {
          id: "odd",
          messages: [{ role: "user", content: "x", toolCalls: [{ toolCallId: "1", toolName: "t", input: odd }] }],
        },
        { id: "broken", broken: "no record can be read" },
      ]),
    );
    return made;
  }

  it("never leave the machine; what cannot be inspected stays and is listed", async () => {
    const env = envOf(tempHome().path, { HOUSE_TOKEN: SECRETS[3]! });
    const archive = await makeArchive(postgres);
    const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], "x");
    for (const odd of [10n, Buffer.from("x"), deep]) {
      const result = await pushFrom(archive, "alice", env, { client: client(env, odd) });
      expect(result.withheld.map(({ unifiedId }) => unifiedId).sort()).toEqual(["made:broken", "made:odd"]);
      expect(result.sent + result.unchanged).toBe(1);
    }
    const dump = JSON.stringify([
      await postgres.sql("SELECT * FROM amux.sessions", [], archive.database),
      await postgres.sql("SELECT * FROM amux.messages", [], archive.database),
      await postgres.sql("SELECT * FROM amux.passages", [], archive.database),
    ]);
    for (const secret of [...SECRETS, "MIIEow", "hunter2", "odd"]) {
      expect(dump.toLowerCase().includes(secret.toLowerCase()), secret).toBe(false);
    }
    for (const rule of ["aws-access-key", "github-token", "named-secret", "environment", "private-key"]) {
      expect(dump).toContain(`[redacted ${rule}]`);
    }
    // Texts that PostgreSQL cannot store come back unchanged.
    const view = await archive.sessions("alice", env).open("made", "leaky");
    expect([...view.messages()][2]!.toolResult!.output).toBe("in [redacted environment]\0\ud800");
    expect((await archive.sessions("alice", env).totalCost()).skipped).toBe(2);
  });

  it("are listed by review without being shown, and malformed rules stop everything", async () => {
    const home = tempHome();
    const folder = join(recordedHome(home.path, ["claude"]), ".claude/projects");
    const [file] = transcripts(home.path);
    appendFileSync(file!, `${JSON.stringify(userLine(file!, `key ${SECRETS[0]} for customer C-12345678`))}\n`);
    home.write(".agent-mux/redact.json", JSON.stringify([{ name: "customer", pattern: "C-[0-9]{8}" }]));
    const archive = await makeArchive(postgres);
    const options = { home: home.path, vars: { AMUX_ARCHIVE: archive.address("alice") } };
    const review = await warmCli(["archive", "review"], options);
    expect(review.code).toBe(0);
    expect(review.stdout).toMatch(/aws-access-key\s+messages\[\d+\]\.content\s+20 characters/);
    expect(review.stdout).toMatch(/customer\s+messages/);
    expect(review.stdout + review.stderr).not.toContain(SECRETS[0]);
    expect((await contentsOf(postgres, archive))["sessions"]).toEqual([]);

    home.write(".agent-mux/redact.json", "[{");
    const push = await warmCli(["archive", "push"], options);
    expect(push.code).toBe(7);
    expect(push.stderr).toContain("nothing is sent until it is");
    expect((await contentsOf(postgres, archive))["sessions"]).toEqual([]);
    expect(readdirSync(folder).length).toBeGreaterThan(0);
  });
});

describe("visibility", () => {
  it("covers one's own sessions and those shared with a team, in every table and for every command", async () => {
    const archive = await makeArchive(postgres);
    const env = envOf(recordedHome(tempHome().path, ["claude"]));
    await pushFrom(archive, "alice", env);
    const own = await archive.sessions("alice", env).listAll({ limit: 1000 });
    const shown = own.find(({ cost }) => (cost?.totalUsd ?? 0) > 0)!;
    const as = <T>(role: string, work: (client: Client) => Promise<T>): Promise<T> => asRole(archive, role, work);
    const session = { agent: shown.agent, sessionId: shown.sessionId };
    const share = (role: string, team: string | null) =>
      connected(parseAddress(archive.address(role)), (connection) => shareSessions(connection, { session, team }));
    await expect(share("alice", "blue")).rejects.toThrow("not in the team");
    await expect(share("bob", "red")).rejects.toThrow("You pushed no session");
    expect(await share("alice", "red")).toBe(1);

    const ids = async (role: string): Promise<string[]> =>
      (await archive.sessions(role, env).listAll({ limit: 1000, counts: false })).map(({ unifiedId }) => unifiedId);
    expect(await ids("bob")).toEqual([shown.unifiedId]);
    expect(await ids("carol")).toEqual([]);
    // Not even for the owner of the tables.
    expect(await ids("keeper")).toEqual([]);
    const search = async (role: string): Promise<number> =>
      (await archive.sessions(role, env).search({ text: "the OR a OR -nothing", limit: 1000, foldCopies: false }))
        .length;
    expect(await search("alice")).toBe(own.length);
    expect(await search("bob")).toBe(1);
    expect(await search("carol")).toBe(0);
    expect((await archive.sessions("bob", env).totalCost()).sessionCount).toBe(1);
    expect((await archive.sessions("carol", env).totalCost()).requestCount).toBe(0);

    const parts = ["messages", "helpers", "usage", "family", "passages", "spending", "spent"];
    const tables = ["sessions", ...parts, "copies", "runs", "unread", "sharing", "retention"];
    for (const table of tables) {
      const seen = await as("carol", (client) => client.query(`SELECT * FROM amux.${table}`));
      expect(seen.rows, table).toEqual([]);
    }
    const words = "SELECT * FROM amux.find_words(ARRAY['a'::tsquery, 'the'], ARRAY[0, 1], '{}', 1)";
    expect((await as("carol", (client) => client.query(words))).rows).toEqual([]);
    expect((await as("bob", (client) => client.query(words))).rows).toHaveLength(1);
    // Being allowed to read does not allow changes.
    for (const change of [
      "UPDATE amux.sessions SET title = 'x'",
      "DELETE FROM amux.sessions",
      "DELETE FROM amux.messages",
      "DELETE FROM amux.spending",
    ]) {
      expect((await as("bob", (client) => client.query(change))).rowCount, change).toBe(0);
    }
    const forged = `INSERT INTO amux.sessions (owner, agent, session_id, digest, title, created_ms, updated_ms, models,
      message_count, turn_count, usage_unknown, length, head, whole_head)
      SELECT 'alice', agent, 'forged', digest, title, 0, 0, models, 0, 0, false, 0, head, whole_head FROM amux.sessions`;
    await expect(as("bob", (client) => client.query(forged))).rejects.toThrow("row-level security");
    const foreign = "INSERT INTO amux.family (session, place, digest, key) SELECT id, 999, '', 'x' FROM amux.sessions";
    await expect(as("bob", (client) => client.query(foreign))).rejects.toThrow("row-level security");
    await expect(
      as("bob", (client) => client.query("INSERT INTO amux.members VALUES ('blue', 'bob')")),
    ).rejects.toThrow("denied");

    // A session with the same id from another owner does not replace one's own.
    const copy = createClient({ env: envOf("/nowhere") });
    copy.adapters.register(
      madeAgent(shown.agent, [{ id: shown.sessionId, head: { title: "shadow", updatedMs: Date.now() } }]),
    );
    await pushFrom(archive, "bob", envOf("/nowhere"), { client: copy, team: "red" });
    expect((await archive.sessions("alice", env).open(shown.agent, shown.sessionId)).summary.title).toBe(shown.title);
    // A bad row costs only its own session, and is reported.
    const spoil = `UPDATE amux.sessions SET head = '{"title": 7, "titlesForOthers": {}}' WHERE owner = session_user`;
    const asked = archive.sessions("carol", env);
    await connected(parseAddress(archive.address("keeper")), (connection) =>
      addMember(connection, { member: "carol", team: "red" }),
    );
    expect((await asked.listAll()).map(({ unifiedId }) => unifiedId)).toEqual([shown.unifiedId]);
    await as("bob", (client) => client.query(spoil));
    let skipped = 0;
    const titles = (await asked.listAll({ onSkipped: (files) => (skipped = files) })).map(({ title }) => title);
    expect({ titles, skipped }).toEqual({ titles: [shown.title], skipped: 1 });
    await as("bob", (client) => client.query("DELETE FROM amux.copies; DELETE FROM amux.sessions"));
    await pushFrom(archive, "bob", envOf("/nowhere"), { client: copy, team: "red" });
    expect(await share("alice", null)).toBe(1);
    expect((await archive.sessions("bob", env).listAll()).map(({ title }) => title)).toEqual(["shadow"]);
  });

  async function asRole<T>(archive: Archive, role: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: archive.address(role) });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
});

describe("the tables", () => {
  it("are created once by concurrent commands, and those of a newer amux are left alone", async () => {
    const { address, database } = await makeArchive(postgres);
    await postgres.sql("DROP SCHEMA amux CASCADE", [], database);
    const at = parseAddress(address("keeper"));
    const applied = await Promise.all([1, 2, 3].map(() => connected(at, migrate)));
    expect(applied.flat()).toEqual(MIGRATIONS.map(({ version }) => version));
    await postgres.sql("INSERT INTO amux.schema_version VALUES (99)", [], database);
    await expect(connected(at, migrate)).rejects.toThrow("newer amux");
  });
});

describe("the commands", () => {
  it("answer from the archive, say what is missing, and never show a password", async () => {
    const password = "p%40ss-w0rd-nobody-may-see";
    await postgres.sql(`DO $$ BEGIN CREATE ROLE careful LOGIN PASSWORD 'p@ss-w0rd-nobody-may-see'; END $$`);
    const archive = await makeArchive(postgres);
    const address = archive.address("careful").replace("user=careful", `user=careful&password=${password}`);
    await warmCli(["archive", "members", "add", "careful", "--team", "red", "--to", archive.address("keeper")], {
      home: "/nowhere",
    });
    const home = recordedHome(tempHome().path, ["claude"]);
    const used = spawn(process.execPath, [join(import.meta.dirname, "../../dist/amux.cjs"), "archive", "use"], {
      env: { PATH: process.env["PATH"], HOME: home },
    });
    used.stdin.end(address);
    await new Promise((resolve) => used.once("exit", resolve));
    const said = await Promise.all([
      warmCli(["archive", "status"], { home }),
      warmCli(["archive", "push", "--to", address.replace("nobody", "somebody")], { home }),
      warmCli(["archive", "push", "--to", "postgres://u:secret-word@nowhere.invalid/x"], { home }),
      warmCli(["archive", "push", "--to", "mysql://u:secret-word@host/x"], { home }),
    ]);
    expect(said.map(({ code }) => code)).toEqual([0, 5, 7, 2]);
    expect(said[0]!.stdout).toMatch(/0 sessions there, 0 changed since, \d+ never sent/);
    const none = await warmCli(["sessions", "list", "--archive", "default"], { home });
    expect(none.stderr).toBe("No sessions found that this archive shows you. See amux archive status.\n");
    const pushed = await warmCli(["archive", "push", "--share", "red"], { home });
    expect(pushed.stdout).toMatch(/^\d+ sessions sent, 0 unchanged/);
    for (const { stdout, stderr } of [...said, pushed]) expect(stdout + stderr).not.toMatch(/w0rd|secret-word/);

    const local = await warmJson<object[]>(["sessions", "list"], { home });
    expect(await warmJson(["sessions", "list", "--archive", "default"], { home })).toEqual(local);
    const elsewhere = { home: tempHome().path, vars: { AMUX_ARCHIVE: archive.address("bob") } };
    expect(await warmJson(["sessions", "list", "--archive", "default", "--owner", "careful"], elsewhere)).toEqual(
      local,
    );
    const { unifiedId } = local[0] as { unifiedId: string };
    const shown = await warmCli(["sessions", "show", unifiedId, "--archive", "default"], elsewhere);
    expect(shown.stdout).toBe((await warmCli(["sessions", "show", unifiedId], { home })).stdout);
  });

  it("do not load the database client until an archive is used", async () => {
    const home = recordedHome(tempHome().path, ["claude"]);
    const hook = join(tempHome().path, "hook.cjs");
    writeFileSync(
      hook,
      `const Module = require("node:module");
       const load = Module._load;
       Module._load = (name, parent, ...rest) => {
         // Also if it was imported as a module, which is known by its own files.
         if (name === "pg" || parent?.filename?.includes("/node_modules/pg/")) throw new Error("pg was loaded");
         return load(name, parent, ...rest);
       };`,
    );
    const vars = { NODE_OPTIONS: `--require=${hook}`, AMUX_ARCHIVE: postgres.address("alice") };
    expect((await runCli(["sessions", "list"], { home, vars })).code).toBe(0);
    expect((await runCli(["archive", "status"], { home, vars })).stderr).toContain("pg was loaded");
  });
});

/** Claude Code's transcripts in a stable order. */
function transcripts(home: string): string[] {
  const root = join(home, ".claude/projects");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name))
    .sort()
    .map((name) => join(root, name));
}

/** The line that would follow the last one. */
function userLine(path: string, text: string): object {
  const lines = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = lines.findLast(({ uuid }) => uuid !== undefined)!;
  const { sessionId, cwd, version, gitBranch } = last;
  return {
    parentUuid: last["uuid"],
    isSidechain: false,
    userType: "external",
    sessionId,
    cwd,
    version,
    gitBranch,
    type: "user",
    message: { role: "user", content: text },
    uuid: "11111111-2222-4333-8444-555555555555",
    timestamp: "2026-12-31T00:00:00.000Z",
  };
}
