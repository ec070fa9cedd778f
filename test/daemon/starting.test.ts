import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSse } from "../../src/client/sse.ts";
import type { ConversationUpdate } from "../../src/protocol/daemon-api.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";
import { sharedDaemon, sharedMachine } from "./support/shared-daemon.ts";
import type { TestDaemon } from "./support/test-daemon.ts";

function repository(test: TestDaemon): string {
  const root = join(test.userHome, "shop");
  mkdirSync(join(root, "api"), { recursive: true });
  writeFileSync(join(root, "api", "a.txt"), "a\n");
  const git = (...args: string[]): void => {
    const names = ["-c", "user.name=t", "-c", "user.email=t@t"];
    execFileSync("git", [...names, ...args], { cwd: root, env: test.vars, stdio: "ignore" });
  };
  git("init", "-b", "main");
  git("add", ".");
  git("commit", "-m", "first");
  return root;
}

const shared = sharedDaemon(repository);

describe("a launch in a worktree", () => {
  it.each([
    ["outside of a repository", ".", {}, "is not in a git repository"],
    ["on a branch that could be an option", "shop", { branch: "--force" }, "worktree.branch"],
    ["on a branch git does not take", "shop", { branch: "a..b" }, "is not a valid branch name"],
    ["from a commit that is none", "shop", { base: "--help" }, "There is no commit --help"],
    ["on a branch that is in use", "shop", { branch: "main" }, "git refused"],
  ])("is refused %s", async (_, place, worktree, message) => {
    const test = shared();
    const request = { command: ["sh"], cwd: join(test.userHome, place), worktree };
    const answer = await test.ask("POST", "/v1/launch", request);
    expect([answer.status, answer.error?.message]).toEqual([400, expect.stringContaining(message)]);
    expect(await test.sessions()).toEqual([]);
  });
});

describe("directories", () => {
  it("are completed as typed; without input the latest are offered", async () => {
    const test = shared();
    for (const name of ["dev/shop", "dev/shed", "desk", ".config", "dev/.hidden"]) {
      mkdirSync(join(test.userHome, name), { recursive: true });
    }
    writeFileSync(join(test.userHome, "dev", "shut"), "a file");
    symlinkSync(join(test.userHome, "desk"), join(test.userHome, "dev", "shelf"));
    const complete = (prefix: string): Promise<string[]> =>
      test.data("GET", `/v1/directories?prefix=${encodeURIComponent(prefix)}`);
    expect(await complete("~/de")).toEqual(["~/desk", "~/dev"]);
    expect(await complete("~/dev/sh")).toEqual(["~/dev/shed", "~/dev/shelf", "~/dev/shop"]);
    expect(await complete("~/dev/.")).toEqual(["~/dev/.hidden"]);
    expect(await complete(`${test.userHome}/dev/sho`)).toEqual([join(test.userHome, "dev/shop")]);
    expect(await complete("/no/such/place/x")).toEqual([]);
    expect(await complete("")).toEqual([]);
    await test.launch("true", { cwd: join(test.userHome, "dev", "shop") });
    expect(await complete("")).toEqual(["~/dev/shop"]);
  });
});

describe("a launch in a new worktree", () => {
  it("gets its own branch and directory, in the same project", async () => {
    const test = shared();
    const root = join(test.userHome, "shop");
    const started = await Promise.all([
      test.launch("sleep 1000", { cwd: join(root, "api"), worktree: { branch: "fix/login" } }),
      test.launch("sleep 1000", { cwd: root, worktree: {} }),
    ]);
    const [named, unnamed] = await Promise.all(started.map((id) => test.session(id)));
    expect(named).toMatchObject({
      cwd: join(test.userHome, "shop.worktrees", "fix-login", "api"),
      workspace_root: root,
    });
    expect(unnamed).toMatchObject({ cwd: join(test.userHome, "shop.worktrees", "amux-1"), workspace_root: root });
    expect(readFileSync(join(named!.cwd, "a.txt"), "utf8")).toBe("a\n");
    const branch = execFileSync("git", ["branch", "--show-current"], { cwd: named!.cwd, encoding: "utf8" });
    expect(branch.trim()).toBe("fix/login");
  });
});

describe("a pasted file", () => {
  it("is private to its owner, and removed with the session", async () => {
    const test = shared();
    const id = await test.launch("sleep 1000");
    const image = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
    const paste = async (type: string, body = image): Promise<Response> =>
      fetch(`http://127.0.0.1:${test.port}/v1/sessions/${id}/clipboard`, {
        method: "POST",
        body: new Uint8Array(body),
        headers: { authorization: `Bearer ${test.token}`, "content-type": type },
      });
    const answers = [await paste("image/png"), await paste("../../x; charset=utf-8")];
    const paths = (await Promise.all(answers.map((answer) => answer.json()))).map(
      (answer) => (answer as { data: { path: string } }).data.path,
    );
    const directory = join(test.home, "sessions", id, "pastes");
    expect(paths).toEqual([join(directory, "paste-1.png"), join(directory, "paste-2.bin")]);
    expect(readFileSync(paths[0]!)).toEqual(image);
    expect((statSync(paths[0]!).mode & 0o777).toString(8)).toBe("600");
    expect((await paste("image/png", Buffer.alloc(21 * 1024 * 1024))).status).toBe(413);
    expect((await paste("image/png", Buffer.alloc(0))).status).toBe(400);
    await test.ask("POST", `/v1/sessions/${id}/dismiss`);
    expect(existsSync(paths[0]!)).toBe(false);
    expect((await paste("image/png")).status).toBe(404);
  });
});

describe("a conversation", () => {
  let old = "";
  const machine = sharedMachine((atEnd) => {
    const made = new AgentMachine({ FAKE_HOOKS: "1" }, atEnd);
    old = made.old(1, "Add a health route", made.project("shop"));
    return made;
  });

  it("is opened by its name: in its row, or in a new session as a fork", async () => {
    const test = machine();
    const key = old;
    const row = await rowWith(test, key);
    const open = (verb: string): Promise<{ session_id: string }> =>
      test.data("POST", `/v1/history/claude:${key}/${verb}`);
    const [first, again] = await Promise.all([open("resume"), open("resume")]);
    expect([first.session_id, again.session_id]).toEqual([row.id, row.id]);
    const fork = await open("fork");
    expect(fork.session_id).not.toBe(row.id);
    await waitFor("the fork", async () =>
      (await test.ask("GET", `/v1/sessions/${fork.session_id}/text`)).text.includes(`fake forked ${key}`),
    );
    expect(await test.session(fork.session_id)).toMatchObject({ cwd: row.cwd, kind: "claude", alive: true });
    expect((await test.ask("POST", "/v1/history/claude:nothing/resume")).error?.code).toBe("not_found");
    expect((await test.ask("POST", "/v1/history/claude:nothing/fork")).error?.code).toBe("not_found");
  });

  it("is read page by page, and its growth is reported", async () => {
    const test = machine();
    const id = await test.agent(test.project("bakery"));
    const key = await test.prompt(id, "one");
    await test.until("its key", id, ({ resume_key }) => resume_key === key);
    const page = async (from: number, limit: number): Promise<string[]> => {
      const path = `/v1/history/claude:${key}?from=${from}&limit=${limit}`;
      return (await test.data<{ messages: { content: string }[] }>("GET", path)).messages.map(({ content }) => content);
    };
    expect(await page(0, 1)).toEqual(["one"]);
    expect(await page(1, 1)).toEqual(["answer to one"]);
    expect(await page(2, 5)).toEqual([]);
    const told = new Set<string>();
    let isSynced = false;
    const leave = openSse(
      { socketPath: test.files.socket, path: "/v1/events", silenceMs: 60_000 },
      {
        onOpen: () => undefined,
        onEvent: ({ event, data }) => {
          if (event === "sync-end") isSynced = true;
          if (event === "conversation-update") told.add((JSON.parse(data) as ConversationUpdate).unified_id);
        },
        onEnd: () => undefined,
      },
    );
    await waitFor("the beginning", () => isSynced);
    await test.prompt(id, "two");
    await waitFor("news of it", () => told.has(`claude:${key}`));
    expect(await page(2, 5)).toEqual(["two", "answer to two"]);
    expect(await page(1, 2)).toEqual(["answer to one", "two"]);
    leave();
  });
});
