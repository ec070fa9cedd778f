import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withDatabase } from "./sqlite.ts";

const BINDING = createRequire(import.meta.url).resolve("@photostructure/sqlite");

/** How many are read. */
const STATES = 20;
const IS_ENOUGH = `const isEnough = () => require("node:fs").existsSync(require("node:path").join(__dirname, "enough"));`;

let directory: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sqlite-test-"));
  path = join(directory, "store.db");
  const owner = new DatabaseSync(path);
  owner.exec("PRAGMA journal_mode = WAL; CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT);");
  owner.exec("INSERT INTO item (text) VALUES ('one'), ('two'), ('three')");
  owner.close();
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

describe("a live writer in another process", () => {
  it("is never refused or delayed by a lock, and is read in whole transactions", async () => {
    const { child, lines } = ownerProcess(`
      const owner = new DatabaseSync(path, { timeout: 0 });
      owner.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 20; DELETE FROM item");
      const insert = owner.prepare("INSERT INTO item (text) VALUES (?)");
      console.log("ready");
      let transactions = 0, refused = 0;
      while (!isEnough()) {
        try {
          owner.exec("BEGIN IMMEDIATE");
          for (let i = 0; i < 10; i++) insert.run("x".repeat(1000));
          owner.exec("COMMIT");
          transactions++;
        } catch { refused++; }
        if (transactions % 200 === 0) owner.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      }
      console.log(JSON.stringify({ transactions, refused }));
    `);
    await lines.next();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await growing(child, (rows) => expect(rows % 10).toBe(0));
    await ended;
    const { transactions, refused } = JSON.parse((await lines.next()).value);
    expect(refused).toBe(0);
    expect(transactions).toBeGreaterThan(0);
    expect(count()).toBe(transactions * 10);
  });

  it("may open and close the database, and so create and remove its log, while it is read", async () => {
    const { child, lines } = ownerProcess(`
      console.log("ready");
      let times = 0;
      while (!isEnough()) {
        const owner = new DatabaseSync(path);
        owner.exec("INSERT INTO item (text) VALUES ('again')");
        owner.close();
        times++;
      }
      console.log(times);
    `);
    await lines.next();
    await growing(child);
    expect(count()).toBe(3 + Number((await lines.next()).value));
  });

  it("may truncate its log while it is copied", async () => {
    const { child, lines } = ownerProcess(`
      const { truncateSync, writeFileSync } = require("node:fs");
      const log = Buffer.alloc(20e6);
      console.log("ready");
      for (; !isEnough(); truncateSync(path + "-wal", 0)) writeFileSync(path + "-wal", log);
    `);
    await lines.next();
    let reads = 0;
    for (; isRunning(child); reads++) {
      expect(count()).toBe(3);
      if (reads === STATES) enough();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(reads).toBeGreaterThan(STATES);
  });
});

function count(): unknown {
  return withDatabase(path, (database) => database.get("SELECT count(*) AS n FROM item")?.["n"]);
}

/** Reads what a process writes until it has seen some of its states; then the process ends. */
async function growing(child: ChildProcess, look: (rows: number) => void = () => undefined): Promise<void> {
  const seen = new Set<number>();
  for (let last = 0; isRunning(child);) {
    const rows = Number(count());
    look(rows);
    expect(rows).toBeGreaterThanOrEqual(last);
    last = rows;
    if (seen.add(rows).size > STATES) enough();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(seen.size).toBeGreaterThan(STATES);
}

/** Ends the process of the test. */
function enough(): void {
  writeFileSync(join(directory, "enough"), "");
}

/** Runs a script that owns the database in a separate process; its output lines come from the iterator. */
function ownerProcess(script: string): { child: ChildProcess; lines: AsyncIterator<string> } {
  const file = join(directory, "owner.cjs");
  writeFileSync(
    file,
    `const { DatabaseSync } = require(${JSON.stringify(BINDING)});\nconst path = ${JSON.stringify(path)};\n${IS_ENOUGH}\n${script}`,
  );
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
