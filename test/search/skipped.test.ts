/** Skipped files: a search reports them like a list, whatever the index holds. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createClient } from "../../src/index.ts";
import { SETTLING_MS } from "../../src/lib/fs/directory.ts";
import { jsonOf, runCli, type CliOptions, type CliResult } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli } from "../support/warm-cli.ts";
import { needsLinux } from "../support/needs.ts";

const OLD = new Date("2026-03-01T00:00:00Z");
/** Root can read everything. */
const UID = process.getuid?.() === 0 ? 65_534 : undefined;

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const fileOf = (home: string, number: number): string =>
  join(home, ".claude/projects/-srv-shop", `${idOf(number)}.jsonl`);

function write(home: string, number: number, text?: string): string {
  const path = fileOf(home, number);
  mkdirSync(dirname(path), { recursive: true });
  const [sessionId, timestamp] = [idOf(number), OLD.toISOString()];
  const message = { role: "user", content: text };
  const record = { type: "user", uuid: `u${number}`, parentUuid: null, sessionId, timestamp, cwd: "/srv", message };
  writeFileSync(path, text === undefined ? "nothing that could be a record\n" : `${JSON.stringify(record)}\n`);
  utimesSync(path, OLD, OLD);
  return path;
}

/** Long enough for changes to be cached. */
const settled = (): Promise<void> => sleep(3 * SETTLING_MS);

/** Another user needs a process of its own. */
function amux(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return options.uid === undefined ? warmCli(args, options) : runCli(args, options);
}

async function amuxJson<T>(args: readonly string[], options: CliOptions): Promise<T> {
  return jsonOf<T>(args, await amux([...args, "--json"], options));
}

async function skipped(options: CliOptions, ...args: string[]): Promise<number> {
  const { stderr, code } = await amux(["sessions", ...args], options);
  expect(code).toBe(0);
  return Number(/^(\d+) files? w/m.exec(stderr)?.[1] ?? 0);
}

it("a search skips as many files as a list, with and without an index", async () => {
  const home = tempHome().path;
  const options = { home };
  for (let number = 0; number < 5; number++) write(home, number, `copper ${number}`);
  const odd = fileOf(home, 50);
  mkdirSync(odd);
  write(home, 51);
  const broken = write(home, 52);
  await settled();
  const counts = async (): Promise<number[]> => [
    await skipped(options, "list"),
    await skipped(options, "search", "copper", "--no-index"),
    await skipped(options, "search", "copper"),
    await skipped(options, "search", "copper"),
    await skipped(options, "search", "nothing"),
  ];
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
  expect(await skipped(options, "search", "nothing", "--no-index")).toBe(3);
  await amux(["index", "build"], options);
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
  // They stay skipped when others are indexed.
  write(home, 6, "copper too");
  await settled();
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
  write(home, 52, "mended");
  utimesSync(broken, OLD, new Date(OLD.getTime() + 1000));
  await settled();
  expect(await counts()).toEqual([2, 2, 2, 2, 2]);
  rmdirSync(odd);
  await settled();
  expect(await counts()).toEqual([1, 1, 1, 1, 1]);
});

it("files whose names are not UTF-8 are skipped with the reason", needsLinux, async () => {
  const home = tempHome().path;
  const options = { home };
  for (let number = 0; number < 3; number++) write(home, number, "copper");
  const path = fileOf(home, 4);
  const odd = Buffer.concat([
    Buffer.from(dirname(path)),
    Buffer.from("/a"),
    Buffer.from([0xff]),
    Buffer.from(".jsonl"),
  ]);
  renameSync(write(home, 4, "copper"), odd);
  await settled();
  for (let time = 0; time < 2; time++) {
    expect(await skipped(options, "list")).toBe(1);
    expect(await skipped(options, "search", "copper", "--no-index")).toBe(1);
    expect(await skipped(options, "search", "copper")).toBe(1);
    expect((await amux(["cost", "report"], options)).stderr).toMatch(/^1 file was skipped/m);
    await amux(["index", "build"], options);
  }
  const [report] = await amuxJson<{ skipped: unknown[] }[]>(["doctor", "claude"], options);
  expect(report!.skipped).toEqual([
    { path: join(dirname(path), "a\\xff.jsonl"), reason: "has a name that is not UTF-8" },
  ]);
  renameSync(odd, path);
  await settled();
  expect(await skipped(options, "search", "copper")).toBe(0);
  expect(await amuxJson<unknown[]>(["sessions", "search", "copper"], options)).toHaveLength(4);
});

it("a session that was unreadable for a moment is found later", async () => {
  const home = tempHome().path;
  for (let number = 0; number < 3; number++) write(home, number, "copper");
  const client = createClient({ env: { home, platform: "linux", vars: {} } });
  const adapter = await client.adapters.get("claude");
  const history = adapter.history!;
  let isOutOfFiles = true;
  client.adapters.register({
    ...adapter,
    history: {
      ...history,
      summarize: (source, ...rest) => {
        if (isOutOfFiles && source.sessionId === idOf(0)) throw new Error("EMFILE: too many open files, open");
        return history.summarize(source, ...rest);
      },
    },
  });
  await client.sessions.buildIndex();
  const found = async (): Promise<string[]> => {
    const hits = await client.sessions.search({ text: "copper", index: "fill", foldCopies: false });
    await client.sessions.idle();
    return hits.map(({ sessionId }) => sessionId).sort();
  };
  expect(await found()).toEqual([1, 2].map(idOf));
  isOutOfFiles = false;
  expect(await found()).toEqual([0, 1, 2].map(idOf));
  expect(await found()).toEqual([0, 1, 2].map(idOf));
});

it("a session that was unreadable when the index was built is found later", async () => {
  const home = tempHome().path;
  for (let number = 0; number < 4; number++) write(home, number, "copper");
  const names = readdirSync(home, { recursive: true }) as string[];
  if (UID !== undefined) for (const name of [".", ...names]) chownSync(join(home, name), UID, UID);
  const options = { home, ...(UID === undefined ? {} : { uid: UID }) };
  const found = async (): Promise<string[]> => {
    const hits = await amuxJson<{ sessionId: string }[]>(["sessions", "search", "copper", "--all-copies"], options);
    return hits.map(({ sessionId }) => sessionId).sort();
  };
  chmodSync(fileOf(home, 0), 0);
  for (let round = 0; round < 3; round++) expect(await found()).toEqual([1, 2, 3].map(idOf));
  await amux(["index", "build"], options);
  expect(await skipped(options, "search", "copper")).toBe(1);
  // The index is not written again and again.
  const { mtimeMs } = statSync(join(home, ".agent-mux/index.db"));
  expect(await skipped(options, "search", "copper")).toBe(1);
  expect(statSync(join(home, ".agent-mux/index.db")).mtimeMs).toBe(mtimeMs);
  chmodSync(fileOf(home, 0), 0o600);
  for (let round = 0; round < 3; round++) expect(await found()).toEqual([0, 1, 2, 3].map(idOf));
  expect(await skipped(options, "search", "copper")).toBe(0);
});
