import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bundleToFile } from "../../../scripts/bundle.mjs";
import { ReadOnlyDatabase, withDatabase } from "./sqlite.ts";
import { needs, needsRoot } from "../../../test/support/needs.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const COUNT = "SELECT count(*) AS n FROM item";

let directory: string;
let path: string;
const owners: InstanceType<typeof DatabaseSync>[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sqlite-test-"));
  path = join(directory, "store.db");
});

afterEach(() => {
  for (const owner of owners.splice(0)) owner.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A database with three rows, still open by its owner. */
function ownedDatabase(file = path, mode = "WAL"): InstanceType<typeof DatabaseSync> {
  const owner = new DatabaseSync(file);
  owner.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT);`);
  owner.exec("INSERT INTO item (text) VALUES ('one'), ('two'), ('three')");
  return owner;
}

function closedDatabase(file = path): void {
  ownedDatabase(file).close();
}

/** Leaves the files of a process that died: the log is not checkpointed. */
function abandonedDatabase(): void {
  const living = join(directory, "living.db");
  const owner = ownedDatabase(living);
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(`${living}${suffix}`, `${path}${suffix}`);
  owner.close();
  rmSync(living, { force: true });
}

function count(file = path): unknown {
  return withDatabase(file, (database) => database.get(COUNT)?.["n"]);
}

function digests(): Record<string, string> {
  const entries = readdirSync(directory).map((name): [string, string] => {
    return [
      name,
      createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("hex"),
    ];
  });
  return Object.fromEntries(entries);
}

describe("reading a database", () => {
  it.each([
    ["a view without an end", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"],
    ["a view that joins a table with itself", "SELECT a.id FROM same a, same b, same c"],
    ["a join behind a union", "SELECT id FROM same WHERE id <> 0 UNION ALL SELECT a.id FROM same a JOIN same b"],
    ["a join in a subquery", "SELECT id FROM (SELECT a.id FROM same a CROSS JOIN same b)"],
    ["a plain view of such a view", "SELECT id FROM many"],
  ])("refuses %s in the place of a table, and reads plain views", (_, sql) => {
    const owner = ownedDatabase();
    owner.exec("CREATE VIEW same AS SELECT id, text FROM item WHERE text <> 'none'");
    owner.exec("CREATE VIEW many AS SELECT a.id FROM same a, same b");
    owner.exec(`ALTER TABLE item RENAME TO real; CREATE VIEW item AS ${sql}`);
    owner.close();
    expect(() => count()).toThrow(/not authorized|prohibited/);
    expect(withDatabase(path, (database) => database.all("SELECT id FROM same")).length).toBe(3);
  });

  it("sees rows that are in the write-ahead log only", () => {
    abandonedDatabase();
    const alone = join(directory, "alone.db");
    copyFileSync(path, alone);
    expect(() => count(alone)).toThrow("no such table");
    expect(count()).toBe(3);
  });

  it("sees what an owner has committed, and not what it has not", () => {
    const owner = ownedDatabase();
    owners.push(owner);
    owner.exec("BEGIN; INSERT INTO item (text) VALUES ('four')");
    expect(count()).toBe(3);
    owner.exec("COMMIT");
    expect(count()).toBe(4);
  });

  it("sees a change at once although the last copy is kept for a moment", () => {
    const owner = ownedDatabase();
    owners.push(owner);
    for (let rows = 4; rows < 20; rows++) {
      owner.exec("INSERT INTO item (text) VALUES ('more')");
      expect(count()).toBe(rows);
      expect(count()).toBe(rows);
    }
    owner.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(count()).toBe(19);
  });

  it("sees the state before a transaction whose owner died while writing it into the database", () => {
    const owner = ownedDatabase(path, "DELETE");
    owners.push(owner);
    owner.exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE item SET text = 'torn'");
    owner.exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO item (text) SELECT hex(randomblob(200)) FROM n",
    );
    const crashed = join(directory, "crashed.db");
    copyFileSync(path, crashed);
    copyFileSync(`${path}-journal`, `${crashed}-journal`);
    owner.exec("ROLLBACK");
    const before = readFileSync(crashed);
    const texts = withDatabase(crashed, (database) => database.all("SELECT text FROM item").map((row) => row["text"]));
    expect(texts).toEqual(["one", "two", "three"]);
    expect(readFileSync(crashed).equals(before)).toBe(true);
    expect(existsSync(`${crashed}-journal`)).toBe(true);
  });

  it("finds the log of a database behind a symbolic link", () => {
    abandonedDatabase();
    mkdirSync(join(directory, "elsewhere"));
    const link = join(directory, "elsewhere", "link.db");
    symlinkSync(path, link);
    expect(count(link)).toBe(3);
  });

  it.each(["with space", "100%", "50%25", "what?", "a#b", "ü日本", "a&immutable=0", "semi;colon", "'quote\""])(
    "opens a path with unusual characters: %s",
    (name) => {
      mkdirSync(join(directory, name));
      const closed = join(directory, name, `${name}.db`);
      closedDatabase(closed);
      expect(count(closed)).toBe(3);
      const live = join(directory, name, `live ${name}.db`);
      owners.push(ownedDatabase(live));
      expect(count(live)).toBe(3);
      expect(readdirSync(directory)).toEqual([name]);
    },
  );
});

describe("traces of reading", () => {
  it("are not left beside a cleanly closed database", () => {
    closedDatabase();
    const before = digests();
    expect(Object.keys(before)).toEqual(["store.db"]);
    expect(count()).toBe(3);
    expect(digests()).toEqual(before);
  });

  it("are not left in an existing -wal and -shm", () => {
    abandonedDatabase();
    const before = digests();
    expect(Object.keys(before)).toEqual(["store.db", "store.db-shm", "store.db-wal"]);
    expect(count()).toBe(3);
    expect(digests()).toEqual(before);
  });

  it("include no -shm for a log that has none", () => {
    abandonedDatabase();
    rmSync(`${path}-shm`);
    const before = digests();
    expect(count()).toBe(3);
    expect(digests()).toEqual(before);
  });

  it("include no copy on disk", needs(process.platform !== "win32", "another system than Windows"), () => {
    abandonedDatabase();
    const temporary = process.env["TMPDIR"];
    process.env["TMPDIR"] = mkdtempSync(join(directory, "tmp-"));
    try {
      const database = new ReadOnlyDatabase(path);
      expect(readdirSync(tmpdir())).toEqual([]);
      expect(database.get(COUNT)).toEqual({ n: 3 });
      database.close();
    } finally {
      if (temporary === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = temporary;
    }
  });

  it("are not needed in a read-only directory", needsRoot, async () => {
    const program = mkdtempSync(join(tmpdir(), "sqlite-reader-"));
    onTestFinished(() => rmSync(program, { recursive: true, force: true }));
    chmodSync(program, 0o755);
    const reader = join(program, "reader.mjs");
    await bundleToFile(join(import.meta.dirname, "sqlite.ts"), reader);
    // Copies: such a user may not be able to read this project's directory.
    for (const name of ["@photostructure/sqlite", "node-gyp-build"]) {
      const from = join(MODULES, name);
      const filter = (file: string) => !/\/(src|prebuilds\/(?!linux|darwin)[^/]+)$/.test(file);
      cpSync(from, join(program, "node_modules", name), { recursive: true, filter });
    }
    writeFileSync(
      reader,
      `${readFileSync(reader, "utf8")}\nconst n = (p) => withDatabase(p, (d) => d.get(${JSON.stringify(COUNT)}).n);
      console.log(JSON.stringify(process.argv.slice(2).map(n)), process.getuid());`,
    );
    abandonedDatabase();
    const closed = join(directory, "closed.db");
    closedDatabase(closed);
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
    chmodSync(directory, 0o555);
    const before = digests();
    const output = execFileSync(process.execPath, [reader, path, closed], {
      uid: 65_534,
      gid: 65_534,
      encoding: "utf8",
    });
    chmodSync(directory, 0o755);
    expect(output.trim()).toBe("[3,3] 65534");
    expect(digests()).toEqual(before);
  });
});

describe("a file that cannot be read", () => {
  it("is reported as not a database if it is text", () => {
    writeFileSync(path, "this is not a database\n".repeat(40));
    expect(() => new ReadOnlyDatabase(path)).toThrow("file is not a database");
  });

  it("throws if it is a truncated database, with and without a log", () => {
    const owner = ownedDatabase();
    owner.exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO item (text) SELECT hex(randomblob(500)) FROM n",
    );
    owner.close();
    truncateSync(path, 5000);
    expect(() => withDatabase(path, (database) => database.all("SELECT * FROM item"))).toThrow("malformed");
    writeFileSync(`${path}-wal`, "torn");
    expect(() => withDatabase(path, (database) => database.all("SELECT * FROM item"))).toThrow("malformed");
  });

  it("is read up to the last checkpoint if its log is garbage", () => {
    closedDatabase();
    writeFileSync(`${path}-wal`, Buffer.alloc(5000, 7));
    expect(count()).toBe(3);
  });

  it("is a database without tables if it is empty", () => {
    writeFileSync(path, "");
    expect(withDatabase(path, (database) => database.hasTable("item"))).toBe(false);
  });

  it("throws if it is missing, and is not created", () => {
    expect(() => new ReadOnlyDatabase(path)).toThrow("ENOENT");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("throws if it is a directory", () => {
    mkdirSync(path);
    expect(() => new ReadOnlyDatabase(path)).toThrow("is not a file");
  });

  it("refuses writes", () => {
    closedDatabase();
    expect(() => withDatabase(path, (database) => database.all("DELETE FROM item"))).toThrow("readonly");
    abandonedDatabase();
    expect(() => withDatabase(path, (database) => database.all("DELETE FROM item"))).toThrow("readonly");
    expect(count()).toBe(3);
  });
});

describe("a query", () => {
  it("returns integers beyond the exact range as the nearest number instead of failing", () => {
    const owner = ownedDatabase();
    owner.exec("INSERT INTO item (id, text) VALUES (9223372036854775807, 'huge')");
    owner.close();
    withDatabase(path, (database) => {
      expect(database.all("SELECT id FROM item").map((row) => row["id"])).toEqual([1, 2, 3, 2 ** 63]);
      expect(database.get("SELECT max(id) AS id FROM item")).toEqual({ id: 2 ** 63 });
    });
  });

  it("can be iterated twice at the same time", () => {
    closedDatabase();
    withDatabase(path, (database) => {
      const sql = "SELECT id FROM item ORDER BY id";
      const pairs: string[] = [];
      for (const a of database.each(sql)) for (const b of database.each(sql)) pairs.push(`${a["id"]}${b["id"]}`);
      expect(pairs).toEqual(["11", "12", "13", "21", "22", "23", "31", "32", "33"]);
    });
  });

  it("lists tables and columns", () => {
    closedDatabase();
    withDatabase(path, (database) => {
      expect(database.hasTable("item")).toBe(true);
      expect(database.hasTable("other")).toBe(false);
      expect(database.hasColumn("item", "text")).toBe(true);
      expect(database.hasColumn("item", "colour")).toBe(false);
      expect(database.hasColumn("other", "text")).toBe(false);
    });
  });
});
