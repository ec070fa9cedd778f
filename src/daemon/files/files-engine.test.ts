import { appendFileSync, copyFileSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { AgentFiles } from "./agent-files.ts";
import { FilesEngine } from "./files-engine.ts";
import { HeadCache } from "./head-cache.ts";
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";

const CWD = "/home/u/shop";

function idOf(number: number): string {
  return `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

function transcriptPath(home: TempHome, number: number, project = "-home-u-shop"): string {
  return join(home.path, ".claude", "projects", project, `${idOf(number)}.jsonl`);
}

function prompt(number: number, text: string): string {
  const record = {
    type: "user",
    uuid: `u-${number}-${text}`,
    parentUuid: null,
    sessionId: idOf(number),
    timestamp: "2026-03-14T10:00:00.000Z",
    cwd: CWD,
    version: "2.1.0",
    message: { role: "user", content: text },
  };
  return `${JSON.stringify(record)}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

class Watched {
  readonly news: FilesUpdate[] = [];
  readonly engine: FilesEngine;
  #wake: () => void = () => undefined;

  constructor(home: TempHome) {
    const env = { home: home.path, platform: process.platform, vars: {} };
    this.engine = new FilesEngine(
      new AgentRegistry(),
      env,
      (news) => {
        this.news.push(news);
        this.#wake();
      },
      (what, error) => {
        throw new Error(what, { cause: error });
      },
    );
    onTestFinished(() => this.engine.close());
  }

  /** The first change that passes the test. */
  async until(test: (found: FoundConversation) => boolean): Promise<FoundConversation> {
    for (;;) {
      const found = this.news.flatMap(({ changed }) => changed).findLast(test);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

describe("the watcher of agents' files", () => {
  it("finds existing conversations, with their resume command", async () => {
    const home = tempHome();
    write(transcriptPath(home, 1), prompt(1, "Add a health route"));
    const watched = new Watched(home);
    await watched.engine.start();
    const [claude] = watched.news.filter(({ agent }) => agent === "claude");
    expect(claude).toEqual({
      agent: "claude",
      first: true,
      removed: [],
      changed: [
        {
          agent: "claude",
          sessionId: idOf(1),
          path: transcriptPath(home, 1),
          title: "Add a health route",
          cwd: CWD,
          createdMs: Date.parse("2026-03-14T10:00:00.000Z"),
          updatedMs: expect.any(Number) as number,
          resumeCommand: ["claude", "--resume", idOf(1)],
          forkCommand: ["claude", "--resume", idOf(1), "--fork-session"],
          rowId: expect.stringMatching(/^sess-[a-z0-9]{8}$/) as string,
          hidden: false,
        },
      ],
    });
  });

  it("does no work while nothing changes, however many files there are", async () => {
    const home = tempHome();
    const COUNT = 300;
    for (let number = 0; number < COUNT; number++) {
      write(transcriptPath(home, number, `project-${number % 10}`), prompt(number, "hello"));
    }
    const watched = new Watched(home);
    await watched.engine.start();
    const before = watched.engine.work();
    expect(before.heads).toBe(COUNT);
    for (let scan = 0; scan < 10; scan++) await watched.engine.scan();
    expect(watched.engine.work()).toEqual(before);
    // Only the one file that grew is read.
    await watched.engine.follow(new Set(["claude"]));
    watched.news.length = 0;
    appendFileSync(transcriptPath(home, 7, "project-7"), prompt(7, "more"));
    await watched.until(({ sessionId }) => sessionId === idOf(7));
    expect(watched.engine.work().heads - before.heads).toBeLessThanOrEqual(2);
    expect(watched.engine.work().listings).toBe(before.listings);
  });

  it("reports soon what a followed agent writes, and the rest at the next scan", async () => {
    const home = tempHome(join(import.meta.dirname, "../../agents/gemini/fixtures/home"));
    write(transcriptPath(home, 1), prompt(1, "one"));
    const watched = new Watched(home);
    await watched.engine.start();
    await watched.engine.follow(new Set(["claude"]));
    write(transcriptPath(home, 2), prompt(2, "two"));
    expect((await watched.until(({ sessionId }) => sessionId === idOf(2))).title).toBe("two");
    await watched.engine.follow(new Set(["gemini"]));
    write(transcriptPath(home, 3), prompt(3, "three"));
    // Written later by an agent that is followed.
    home.write(".gemini/tmp/shop-web/.project_root", "/home/user/moved");
    await watched.until(({ cwd }) => cwd === "/home/user/moved");
    expect(watched.news.flatMap(({ changed }) => changed).some(({ sessionId }) => sessionId === idOf(3))).toBe(false);
    await watched.engine.scan();
    expect((await watched.until(({ sessionId }) => sessionId === idOf(3))).title).toBe("three");
  });

  it("notices what a file beside conversations says about them", async () => {
    const home = tempHome(join(import.meta.dirname, "../../agents/gemini/fixtures/home"));
    const watched = new Watched(home);
    await watched.engine.start();
    await watched.engine.follow(new Set(["gemini"]));
    home.write(".gemini/tmp/shop-web/.project_root", "/home/user/moved");
    expect((await watched.until(({ cwd }) => cwd === "/home/user/moved")).agent).toBe("gemini");
  });

  it("finds at the next scan the store of an agent that was never here before", async () => {
    const home = tempHome();
    const watched = new Watched(home);
    await watched.engine.start();
    write(transcriptPath(home, 1), prompt(1, "first ever"));
    await watched.engine.scan();
    expect(watched.news.flatMap(({ changed }) => changed.map(({ title }) => title))).toEqual(["first ever"]);
  });

  it("notices a store that is created directory by directory", async () => {
    const home = tempHome();
    const watched = new Watched(home);
    await watched.engine.start();
    await watched.engine.follow(new Set(["claude"]));
    write(transcriptPath(home, 1), prompt(1, "first ever"));
    expect((await watched.until(({ sessionId }) => sessionId === idOf(1))).title).toBe("first ever");
    write(transcriptPath(home, 2, "-another-project"), prompt(2, "elsewhere"));
    expect((await watched.until(({ sessionId }) => sessionId === idOf(2))).title).toBe("elsewhere");
  });

  it("notices files in directories that were empty", async () => {
    const home = tempHome();
    const day = new Date().toISOString().slice(0, 10).split("-");
    const codex = join(home.path, ".codex/sessions", ...day);
    const chats = join(home.path, ".gemini/tmp/shop-web/chats");
    for (const directory of [dirname(transcriptPath(home, 1)), codex, chats]) mkdirSync(directory, { recursive: true });
    const watched = new Watched(home);
    await watched.engine.start();
    await watched.engine.follow(new Set(["claude", "codex", "gemini"]));
    write(transcriptPath(home, 1), prompt(1, "into an empty project"));
    expect((await watched.until(({ sessionId }) => sessionId === idOf(1))).title).toBe("into an empty project");
    const fixtures = join(import.meta.dirname, "../../agents");
    const chat = "session-2026-10-16T10-00-caadcdc0.jsonl";
    copyFileSync(join(fixtures, "gemini/fixtures/home/.gemini/tmp/shop-web/chats", chat), join(chats, chat));
    await watched.until(({ agent }) => agent === "gemini");
    const rollout = "rollout-2026-11-15T01-47-50-01a1dce3-a9e9-7d22-a2bd-25f681b26c2f.jsonl";
    copyFileSync(join(fixtures, "codex/fixtures/home/.codex/sessions/2026/11/15", rollout), join(codex, rollout));
    await watched.until(({ agent }) => agent === "codex");
  });

  it("continues after a directory was removed and created again", async () => {
    const home = tempHome();
    write(transcriptPath(home, 1), prompt(1, "one"));
    write(transcriptPath(home, 2, "other"), prompt(2, "two"));
    const watched = new Watched(home);
    await watched.engine.start();
    await watched.engine.follow(new Set(["claude"]));
    rmSync(dirname(transcriptPath(home, 1)), { recursive: true });
    await watched.engine.scan();
    write(transcriptPath(home, 3), prompt(3, "again"));
    expect((await watched.until(({ sessionId }) => sessionId === idOf(3))).title).toBe("again");
    expect(watched.news.flatMap(({ removed }) => removed)).toEqual([idOf(1)]);
  });

  it("opens only changed files after a restart, and reports the same", async () => {
    const home = tempHome();
    const old = new Date(Date.now() - 3_600_000);
    const put = (number: number, text: string): void => {
      write(transcriptPath(home, number), prompt(number, text));
      utimesSync(transcriptPath(home, number), old, old);
    };
    for (let number = 0; number < 600; number++) put(number, `number ${number}`);
    write(transcriptPath(home, 1000), prompt(1000, "being written now"));
    vi.useFakeTimers({ toFake: ["Date"], now: statSync(transcriptPath(home, 1000)).mtimeMs + 1 });
    onTestFinished(() => void vi.useRealTimers());
    const told = (watched: Watched): FoundConversation[] =>
      watched.news
        .flatMap(({ changed }) => changed)
        .toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    const start = async (): Promise<Watched> => {
      const watched = new Watched(home);
      await watched.engine.start();
      watched.engine.close();
      return watched;
    };
    const first = await start();
    expect([first.engine.work().heads, told(first).length]).toEqual([601, 601]);
    expect(first.news.filter(({ agent }) => agent === "claude").length, "in parts").toBeGreaterThan(1);
    const second = await start();
    expect(second.engine.work().heads, "only what is being written").toBe(1);
    expect(told(second)).toEqual(told(first));
    put(7, "number seven, longer now");
    rmSync(transcriptPath(home, 8));
    const third = await start();
    expect(third.engine.work().heads).toBe(2);
    expect(told(third).find(({ sessionId }) => sessionId === idOf(7))?.title).toBe("number seven, longer now");
    expect(told(third).some(({ sessionId }) => sessionId === idOf(8))).toBe(false);
  });

  it("reads unreadable files again, and does not remember them as empty", async () => {
    const home = tempHome();
    for (const number of [1, 2]) {
      write(transcriptPath(home, number), prompt(number, "Add a health route"));
      utimesSync(transcriptPath(home, number), 1000, 1000);
    }
    write(transcriptPath(home, 3), "");
    utimesSync(transcriptPath(home, 3), 1000, 1000);
    const adapter = await new AgentRegistry().get("claude");
    const history = adapter.history!;
    const env = { home: home.path, platform: process.platform, vars: {} };
    let isClosed = true;
    const summarize: typeof history.summarize = (source, at, notes) => {
      if (!isClosed || source.sessionId !== idOf(1)) return history.summarize(source, at, notes);
      notes.skip(source.path, "cannot be read (EACCES)");
      return undefined;
    };
    const cache = new HeadCache(env);
    const files = new AgentFiles(adapter, { ...history, summarize }, env, cache);
    expect((await files.list()).changed.map(({ sessionId }) => sessionId)).toEqual([idOf(2)]);
    cache.write();
    expect([...cache.of("claude").keys()].sort()).toEqual([idOf(2), idOf(3)]);
    isClosed = false;
    expect((await files.list()).changed.map(({ sessionId }) => sessionId)).toEqual([idOf(1)]);
    const { heads } = files.work;
    await files.list();
    expect(files.work.heads).toBe(heads);
  });

  it("does not treat a store that vanished as an empty one", async () => {
    const home = tempHome();
    write(transcriptPath(home, 1), prompt(1, "one"));
    const watched = new Watched(home);
    await watched.engine.start();
    const { listings } = watched.engine.work();
    rmSync(join(home.path, ".claude"), { recursive: true });
    const isSeen = async (): Promise<boolean> => {
      await watched.engine.scan();
      return watched.engine.work().listings > listings;
    };
    await expect.poll(isSeen).toBe(true);
    expect(watched.news.flatMap(({ removed }) => removed)).toEqual([]);
  });

  it("reports the newest first, and marks very old ones as needing no row", async () => {
    const home = tempHome();
    for (let number = 1; number <= 3; number++) {
      write(transcriptPath(home, number), prompt(number, "Add a health route"));
      utimesSync(transcriptPath(home, number), number * 1000, number * 1000);
    }
    const adapter = await new AgentRegistry().get("claude");
    const env = { home: home.path, platform: process.platform, vars: {} };
    const files = new AgentFiles(adapter, adapter.history!, env, new HeadCache(env), 2);
    const { changed } = await files.list();
    expect(changed.map(({ sessionId, isOld }) => [sessionId, isOld])).toEqual([
      [idOf(3), undefined],
      [idOf(2), undefined],
      [idOf(1), true],
    ]);
    appendFileSync(transcriptPath(home, 1), prompt(1, "And a test"));
    expect(files.touch([transcriptPath(home, 1)])?.changed.map(({ isOld }) => isOld)).toEqual([undefined]);
  });
});
