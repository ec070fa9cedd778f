/** Agents' stores and a home as an attacker or bad luck makes them. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MAX_SESSIONS } from "../../src/agents/shared/newest-sessions.ts";
import { fixturesOf } from "../history/recorded-home.ts";
import { needsSmallDisk } from "../support/needs.ts";
import { runCli, runJson } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { figure, isLong } from "./long-form.ts";

const ID = "11111111-1111-4111-8111-111111111111";

function claudeLine(id: string, text: string): string {
  const message = { role: "user", content: text };
  const facts = { type: "user", uuid: id, sessionId: id, cwd: "/x", timestamp: "2026-01-01T00:00:00Z", message };
  return `${JSON.stringify(facts)}\n`;
}

function writeClaude(home: string, folder: string, id = ID, text = "hello there"): void {
  const directory = join(home, ".claude/projects", folder);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${id}.jsonl`), claudeLine(id, text));
}

const list = (home: string, options: string[] = [], vars: Record<string, string> = {}) =>
  runJson<{ unifiedId: string; title: string }[]>(["sessions", "list", ...options], { home, vars });

/** The same sessions are listed and found, whatever is beside them. */
async function holds(home: string): Promise<void> {
  expect((await list(home)).map(({ title }) => title)).toContain("hello there");
  const found = await runCli(["sessions", "search", "hello"], { home });
  expect([found.code, found.stdout]).toEqual([0, expect.stringContaining("hello there")]);
}

describe("a store", () => {
  it("with link loops is read once", async () => {
    const { path: home } = tempHome();
    writeClaude(home, "-x");
    const projects = join(home, ".claude/projects");
    symlinkSync("..", join(projects, "up"));
    symlinkSync(projects, join(projects, "-x", "round"));
    symlinkSync("b", join(projects, "a"));
    symlinkSync("a", join(projects, "b"));
    symlinkSync(`${ID}.jsonl`, join(projects, "-x", "22222222-1111-4111-8111-111111111111.jsonl"));
    await holds(home);
  });

  it("with files that unpack to a thousand times their size is read with little memory", async () => {
    const { path: home } = tempHome();
    writeClaude(home, "-x");
    const megabytes = isLong ? 2048 : 32;
    const packed = { gz: gzipSync(Buffer.alloc(1024 * 1024 * Math.min(megabytes, 1024))), zst: zstdOfZeros(megabytes) };
    for (const folder of [".omp/agent/sessions/--x--", ".codex/archived_sessions", ".openclaw/agents/a/sessions"]) {
      mkdirSync(join(home, folder), { recursive: true });
      for (const name of [`${ID}.jsonl.gz`, `rollout-2026-01-01T00-00-00-${ID}.jsonl.zst`, `${ID}.jsonl.zst`]) {
        writeFileSync(join(home, folder, name), name.endsWith(".gz") ? packed.gz : packed.zst);
      }
    }
    expect((await list(home, [], { NODE_OPTIONS: "--max-old-space-size=256" })).map(({ title }) => title)).toContain(
      "hello there",
    );
  });

  it(
    "of very many small files is listed with little memory, the newest ones only",
    { timeout: 1_800_000 },
    async () => {
      const { path: home } = tempHome();
      const files = isLong ? 1_000_000 : 2000;
      const folders = Array.from({ length: 100 }, (_, n) => join(home, ".claude/projects", `-p${n}`));
      for (const folder of folders) mkdirSync(folder, { recursive: true });
      for (let n = 0; n < files; n++) {
        const id = ID.replace(/^.{8}/, String(10_000_000 + n));
        writeFileSync(join(folders[n % 100]!, `${id}.jsonl`), claudeLine(id, `text ${n}`));
      }
      const vars = { NODE_OPTIONS: `--max-old-space-size=${isLong ? 1536 : 96}` };
      const { length: listed } = await list(home, ["--limit", "1000000", "--no-counts"], vars);
      expect(listed).toBe(Math.min(files, MAX_SESSIONS));
      expect(await list(home, ["--limit", "20"], vars)).toHaveLength(20);
      const found = await runCli(["sessions", "search", "hello"], { home, vars });
      expect([found.code, found.stdout], found.stderr).toEqual([0, ""]);
      figure("many files", { files, listed });
    },
  );

  it("whose database holds triggers, views and virtual tables runs none of them", async () => {
    const { path: home } = tempHome();
    cpSync(join(fixturesOf("opencode"), "home-wal"), home, { recursive: true });
    writeClaude(home, "-x");
    const [database] = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("opencode.db"),
    );
    const before = (await list(home)).length;
    const { connectSqlite } = await import("../../src/lib/sqlite/sqlite-binding.ts");
    const made = connectSqlite(join(home, database!), {});
    made.exec(`
      CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
      CREATE VIRTUAL TABLE words USING fts5(text);
      CREATE TRIGGER touched AFTER UPDATE ON session BEGIN DELETE FROM session; END;
    `);
    made.close();
    expect((await list(home)).length).toBe(before);
    await holds(home);
  });

  const manyTimesItself = Array.from({ length: 20 }, (_, n) => `sqlite_master t${n}`).join(", ");
  it.each([
    ["endless views", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"],
    ["views of a table times itself", `WITH n(i) AS (SELECT t0.rowid FROM ${manyTimesItself})`],
  ])("whose tables were replaced by %s is left out, and the rest is listed", async (_, rows) => {
    const { path: home } = tempHome();
    cpSync(join(fixturesOf("opencode"), "home-wal"), home, { recursive: true });
    writeClaude(home, "-x");
    const names = readdirSync(home, { recursive: true, encoding: "utf8" });
    const { connectSqlite } = await import("../../src/lib/sqlite/sqlite-binding.ts");
    const made = connectSqlite(
      join(
        home,
        names.find((name) => name.endsWith("opencode.db"))!,
      ),
      {},
    );
    const tables = made.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    made.exec("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON");
    for (const { name } of tables.filter((table) => ["session", "message", "part"].includes(table.name))) {
      const columns = made.prepare("SELECT name FROM pragma_table_info(?)").all(name) as { name: string }[];
      made.exec(`ALTER TABLE ${name} RENAME TO real_${name}`);
      made.exec(
        `CREATE VIEW ${name} AS ${rows} SELECT ${columns.map((column) => `i AS ${column.name}`).join(", ")} FROM n`,
      );
    }
    made.close();
    await holds(home);
  });
});

describe("a home", () => {
  it("may have blanks and quotes in its name, and names of 200 bytes", async () => {
    const home = join(tempHome().path, `it's a "home" ${"ü".repeat(90)} $(touch x)`);
    mkdirSync(home);
    writeClaude(home, `-${"long".repeat(49)}`);
    await holds(home);
    expect((await runCli(["config", "set", "timeout", "5"], { home })).code).toBe(0);
    const ran = await runCli(["run", "-d", "--name", "n", "--", "sh", "-c", "echo in $HOME"], { home });
    expect(ran.code, ran.stderr).toBe(0);
    expect((await runCli(["wait", "n"], { home })).code).toBe(0);
    expect((await runCli(["tail", "n"], { home })).stdout).toContain("it's a");
    expect((await runCli(["dismiss", "n"], { home })).code).toBe(0);
  });

  it("is read with little memory", async () => {
    const { path: home } = tempHome();
    writeClaude(home, "-x");
    writeClaude(home, "-y", "33333333-1111-4111-8111-111111111111", "many words ".repeat(isLong ? 5_000_000 : 500_000));
    expect(await list(home, [], { NODE_OPTIONS: "--max-old-space-size=96" })).toHaveLength(2);
  });

  it("works on a machine without /dev/shm", needsSmallDisk(), async () => {
    const { path: home } = tempHome();
    writeClaude(home, "-x");
    const amux = join(import.meta.dirname, "../../dist/amux.cjs");
    const script = `umount -l /dev/shm 2>/dev/null; mount -t tmpfs -o mode=000,size=4k none /dev/shm; "$0" "${amux}" sessions list --json`;
    const output = execFileSync("unshare", ["--mount", "sh", "-c", script, process.execPath], {
      encoding: "utf8",
      env: { HOME: home, PATH: process.env["PATH"] },
    });
    expect(JSON.parse(output)).toHaveLength(1);
  });
});

/** Blocks of four bytes that mean "128 KB of the same byte" (RFC 8878, 3.1.1.2). */
function zstdOfZeros(megabytes: number): Buffer {
  const count = megabytes * 8;
  const blocks = Array.from({ length: count }, (_, index) => {
    const header = ((128 * 1024) << 3) | (1 << 1) | (index === count - 1 ? 1 : 0);
    return Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16, 0]);
  });
  const windowOf128Kb = 7 << 3;
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowOf128Kb]), ...blocks]);
}
