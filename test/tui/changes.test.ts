/** What a session changed, in the terminal interface: reading, filters, comments that reach the agent. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import { Tui } from "./support/tui.ts";

const COMPOSER = join(import.meta.dirname, "../status/support/composer.mjs");

interface Shop {
  repository: GitRepository;
  sessions: TestHome;
  id: string;
  vars: Record<string, string>;
}

/** A repository with a running agent, and changes since it began. */
async function shop(): Promise<Shop> {
  const repository = gitRepository();
  const { path, commit, write } = repository;
  commit("first", { "a.txt": "one\nthe price is ten\nthree\n", "src/b.txt": "b\n" });
  const sessions = new TestHome();
  const command = [process.execPath, COMPOSER, "120"];
  const id = await sessions.client.spawn({ command, cwd: path, kind: "codex", name: "shop", rows: 60 });
  await sessions.waitForText(id, "for shortcuts");
  write("a.txt", "one\nthe price is twelve\nthree\n");
  write("src/new.txt", "fresh\n");
  return { repository, sessions, id, vars: { ...repository.vars, AMUX_HOME: sessions.home } };
}

test("changes are read, commented on and sent to the agent without leaving the list", async () => {
  const { repository, sessions, id, vars } = await shop();
  const tui = new Tui(repository.home, { cols: 120, rows: 40 }, vars);
  await tui.shows("shop");
  tui.press("C");
  await tui.shows(/changes · shop +2 files \+2 -1/);
  await tui.shows(/M a\.txt +\+1 -1 +│/);
  await tui.shows(/2 +- the price is ten/);
  await tui.shows(/2 \+ the price is twelve/);
  await tui.shows("Up to the working tree.");
  // Only the changed word is marked.
  expect(tui.written).toMatch(/\x1b\[[\d;]*4[\d;]*mtwelve/);

  tui.press("c");
  await tui.shows("Move to a changed line first");
  tui.press("]", "j", "j", "j");
  tui.press("c");
  await tui.shows("Comment on a.txt:2");
  tui.type("say it in cents\r");
  await tui.shows("#1 draft: say it in cents");
  tui.press("k", "v", "k", "c");
  await tui.shows("Comment on a.txt:1");
  tui.press("esc");
  await tui.hides("Comment on");

  tui.press("l");
  await tui.shows(/#1 a\.txt:2 +say it in cents +draft/);
  tui.press("ctrl+r");
  await tui.shows("Comment #1");
  tui.type("!\r");
  await tui.shows(/#1 a\.txt:2 +say it in cents! +draft/);
  tui.press("esc");
  await tui.hides("Comments ─");
  await tui.shows("#1 draft: say it in cents!");

  tui.press("S");
  await tui.shows("Send 1 comment as one message?");
  tui.press("y");
  await tui.shows("#1 sent: say it in cents!");
  // With the last line that it draws: what comes before may arrive in pieces.
  const screen = await sessions.waitForText(id, /took:[^]*for shortcuts/);
  expect(screen).toContain("1. a.txt, line 2:");
  expect(screen).toContain("the price is twelve");
  tui.press("l");
  await tui.shows(/#1 a\.txt:2 +say it in cents! +sent \(delivered\)/);
  tui.press("tab");
  await tui.shows(/#1 a\.txt:2 +say it in cents! +resolved/);
  tui.press("esc");
  await tui.hides("Comments ─");

  tui.press("1");
  await tui.shows("only staged");
  await tui.shows("No changes.");
  tui.press("1");
  await tui.shows("1 + fresh");
  tui.press("tab", "enter");
  await tui.shows("▸ a.txt");
  tui.press("?");
  await tui.shows("only since your last look");
  expect(tui.screen()[1]).toContain("Changes");
  tui.press("q");
  await tui.hides("Keys ─");
  tui.press("q");
  await tui.hides("changes · shop");
  // Everything was on the screen.
  tui.press("C");
  await tui.shows("2 files");
  tui.press("u");
  await tui.shows(/0 files \+0 -0 · only since your last look/);
  tui.press("q");
  await tui.hides("changes · shop");
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("twelve thousand changed lines at 80 columns are moved through at once", async () => {
  const { repository, vars } = await shop();
  const lines = Array.from({ length: 12_000 }, (_, at) => `line ${at + 1} of many`);
  repository.write("src/many.txt", `${lines.join("\n")}\n`);
  const tui = new Tui(repository.home, { cols: 80, rows: 24 }, vars);
  await tui.shows("shop");
  tui.press("C");
  await tui.shows("3 files +12002 -1");
  // Above the lines, as there is no room beside them.
  expect(tui.screen()[1]).toMatch(/^M a\.txt +\+1 -1 *$/);
  tui.press("G");
  await tui.shows("1 + fresh");
  tui.press("g", "/");
  tui.type("line 7654 of\r");
  await tui.shows("7654 + line 7654 of many");
  tui.press("g");
  await tui.shows("Compared with");
  tui.press("q");
  await tui.hides("changes · shop");
  tui.press("q");
  await tui.ended();
});

test("amux review opens the changes of a session, and leaves when they are closed", async () => {
  const { repository, vars } = await shop();
  const terminal = new CliTerminal(["review", "shop"], repository.home, { cols: 100, rows: 30 }, vars);
  await terminal.sees("the price is twelve");
  await terminal.sees("? help  q close");
  terminal.type("q");
  expect(await terminal.ended()).toBe(0);
});

test("a directory without a repository says so", async () => {
  const home = new TestHome();
  await home.spawn("exec cat", { name: "bare" });
  const tui = new Tui(home.home, { cols: 80, rows: 24 });
  await tui.shows("bare");
  tui.press("C");
  await tui.shows(/is\s+not\s+in\s+a\s+git\s+repository,\s+so\s+there\s+is\s+nothing\s+to\s+compare\s+with\./);
  tui.press("q", "q");
  await tui.ended();
});

test("a past session's changes name the message that made them, and open it", async () => {
  const { home, path, vars, commit, write } = gitRepository();
  const at = Date.now() - 3_600_000;
  const before = "export const rate = (price) => price * 0.19;\n";
  const after = "export const taxRate = (price, country) => price * rateOf(country);\n";
  commit("first", { "tax.js": `${before}export const other = 1;\n`, "notes.txt": "one\n" }, at - 60_000);
  const session = "11111111-2222-4333-8444-555555555555";
  const facts = { cwd: path, sessionId: session, version: "2.1.0", gitBranch: "main", isSidechain: false };
  const input = { file_path: join(path, "tax.js"), old_string: before, new_string: after };
  const edit = { type: "tool_use", id: "t1", name: "Edit", input };
  const reply = { id: "m1", role: "assistant", model: "claude-opus-4", content: [edit] };
  const done = [{ type: "tool_result", tool_use_id: "t1", content: "The file was updated." }];
  const records = [
    { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "taxes by country" } },
    { type: "assistant", uuid: "u2", parentUuid: "u1", requestId: "r1", message: reply },
    { type: "user", uuid: "u3", parentUuid: "u2", message: { role: "user", content: done } },
  ].map((record, step) => ({ ...facts, timestamp: new Date(at + 5000 * step).toISOString(), ...record }));
  write(`../.claude/projects/-shop/${session}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  write("tax.js", `${after}export const other = 1;\n`);
  write("notes.txt", "by hand\n");
  const tui = new Tui(home, { cols: 120, rows: 30 }, vars);
  await tui.shows("taxes by country");
  tui.press("C");
  await tui.shows(/@@ -1,2 \+1,2 @@ +proved · claude #1 · taxes by country/);
  await tui.shows("not by a session we know");
  tui.press("m");
  await tui.shows("1 file +1 -1 · only by this session");
  await tui.hides("notes.txt");
  tui.press("]");
  tui.press("enter");
  await tui.shows("#1 assistant");
  await tui.shows("c resume  f fork");
  tui.press("q");
  await tui.shows("changes · taxes by country");
  tui.press("q");
  await tui.hides("changes · taxes");
  tui.press("q");
  await tui.ended();
});
