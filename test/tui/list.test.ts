/** The list in daily use: headings, help, selection, stars, cost, themes. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixturesOf } from "../history/recorded-home.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

const PAST = "0b5a7a52-6d0c-4f0e-9b57-0d7f3f1f8a01";

function writeConversation(home: TestHome, cwd = "/tmp/shop"): void {
  const directory = join(home.home, ".claude", "projects", "-tmp-shop");
  mkdirSync(directory, { recursive: true });
  const common = { sessionId: PAST, cwd, version: "2.0.0", timestamp: "2025-01-02T03:04:05.000Z" };
  const edit = {
    type: "tool_use",
    id: "t1",
    name: "Edit",
    input: { file_path: "/tmp/shop/parser.js", old_string: "return old;", new_string: "return mended;" },
  };
  const usage = { input_tokens: 1000, output_tokens: 50 };
  const reply = { id: "m1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [edit], usage };
  const lines = [
    { type: "user", uuid: "u1", parentUuid: null, ...common, message: { role: "user", content: "mend the parser" } },
    { type: "assistant", uuid: "u2", parentUuid: "u1", ...common, message: reply },
  ];
  writeFileSync(join(directory, `${PAST}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function foot(tui: Tui): string {
  return tui.screen().at(-1) ?? "";
}

test("at 80 columns the list has headings, project and date, and its foot keeps help and quit", async () => {
  const home = new TestHome();
  writeConversation(home);
  const tui = new Tui(home.home, { cols: 80, rows: 24 });
  await tui.shows(/SESSION +AGENT +PROJECT .*WHEN/);
  await tui.shows(/mend the parser .*claude +shop .*2 Jan 2025/);
  expect(foot(tui)).toContain("? help  q quit");
  tui.press("?");
  await tui.shows("Keys");
  // The keys of the list come first, in columns.
  expect(tui.screen()[1]).toContain("The list of sessions");
  await tui.shows(/resume or run again +\S+ +\S+/);
  tui.press("q");
  await tui.hides("The list of sessions");
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("a session of an experimental agent is marked in the list", async () => {
  const home = new TestHome();
  cpSync(join(fixturesOf("vscode"), "home"), home.home, { recursive: true });
  const tui = new Tui(home.home, { cols: 100, rows: 24 });
  await tui.shows(/Discount in the cart .*vscode \(experimental\)/);
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("why a session cannot be resumed is shown over the search that it was asked from", async () => {
  const home = new TestHome();
  writeConversation(home, "/nowhere/shop");
  const tui = new Tui(home.home, { cols: 80, rows: 24 });
  await tui.shows("mend the parser");
  tui.press("F");
  tui.type("mend");
  await tui.shows("✓ mend the parser");
  tui.press("enter");
  await tui.shows("c resume");
  tui.press("c");
  await tui.shows("The directory /nowhere/shop does not exist.");
  expect(tui.text()).toContain("Search all sessions");
});

test("a transcript shows changes as diffs, and closes without resuming anything", async () => {
  const home = new TestHome();
  writeConversation(home);
  const tui = new Tui(home.home, { cols: 100, rows: 30 });
  await tui.shows("mend the parser");
  tui.press("enter");
  await tui.shows("#1 assistant");
  await tui.shows("- return old;");
  await tui.shows("+ return mended;");
  await tui.shows("c resume  f fork  C changes  $ cost  y copy id");
  tui.press("$");
  await tui.shows(/cost · .*mend the parser/);
  tui.press("q");
  await tui.hides("cost · ");
  tui.press("f");
  await tui.shows("Fork at message");
  tui.press("esc");
  await tui.hides("Fork at message");
  tui.press("?");
  await tui.shows("fork at a message");
  expect(tui.screen()[1]).toContain("Transcript");
  tui.press("q");
  await tui.hides("fork at a message");
  tui.press("q");
  await tui.shows("t transcript");
  tui.press("q");
  await tui.ended();
});

test("the error filter finds past sessions that ended in an error", async () => {
  const home = new TestHome();
  writeConversation(home);
  const id = "0b5a7a52-6d0c-4f0e-9b57-0d7f3f1f8a02";
  const common = { sessionId: id, cwd: "/tmp/shop", version: "2.0.0", timestamp: "2025-01-03T03:04:05.000Z" };
  const failure = { id: "m1", type: "message", role: "assistant", model: "claude-sonnet-4-5" };
  const lines = [
    { type: "user", uuid: "u1", parentUuid: null, ...common, message: { role: "user", content: "overloaded day" } },
    {
      ...{ type: "assistant", uuid: "u2", parentUuid: "u1", ...common },
      message: { ...failure, content: [{ type: "text", text: "API Error: 529 overloaded" }] },
    },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(home.home, ".claude", "projects", "-tmp-shop", `${id}.jsonl`), text);
  const tui = new Tui(home.home);
  await tui.shows("mend the parser");
  await tui.shows("overloaded day");
  tui.press("5");
  await tui.hides("mend the parser");
  await tui.shows(/✗ overloaded day/);
  tui.press("q");
  await tui.ended();
});

test("several sessions are selected and dismissed, and all that ended at once", async () => {
  const home = new TestHome();
  const over = async (name: string): Promise<unknown> => home.waitForEnd(await home.spawn("exit 0", { name }));
  await Promise.all(["one", "two", "three", "four"].map(over));
  const tui = new Tui(home.home);
  await tui.shows("four");
  await tui.shows("one");
  tui.press("space", "space");
  await tui.shows("2 selected");
  tui.press("d");
  await tui.hides("2 selected");
  await waitFor("two of them to go", () => readdirSync(join(home.home, "sessions")).length === 2);
  tui.press("D");
  await tui.shows("Dismiss 2 ended sessions?");
  tui.press("y");
  await waitFor("the others to go", () => readdirSync(join(home.home, "sessions")).length === 0);
  tui.press("q");
  await tui.ended();
});

test("in the transcript of a running session b pages up, and c opens it and starts no second agent", async () => {
  const home = new TestHome();
  writeConversation(home);
  const id = await home.spawn("exec cat", { kind: "claude", name: "shop", resume_key: PAST });
  const tui = new Tui(home.home);
  await tui.shows("shop");
  tui.press("t");
  await tui.shows("transcript · shop");
  await tui.shows("#1 assistant");
  tui.press("b", "c");
  await tui.hides("transcript · shop");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  tui.type("typed into it\r");
  await home.waitForText(id, "typed into it");
  expect(await home.client.list()).toEqual([id]);
  await tui.detach();
});

test("selected sessions that are filtered away are not replaced by the one under the cursor", async () => {
  const home = new TestHome();
  const alpha = await home.spawn("exec cat", { name: "alpha-work" });
  const omega = await home.spawn("exec cat", { name: "omega-work" });
  const tui = new Tui(home.home);
  await tui.shows("alpha-work");
  await tui.shows("omega-work");
  tui.type("/alpha-work\r");
  await tui.hides("omega-work");
  tui.press("space");
  await tui.shows("1 selected");
  tui.press("0");
  await tui.shows("omega-work");
  tui.type("/omega-work\r");
  await tui.hides("alpha-work");
  tui.press("x");
  await tui.shows("None of the selected sessions is shown.");
  tui.press("0", "space");
  await tui.shows("2 selected");
  tui.press("x");
  await tui.shows("End 2 sessions?");
  tui.press("esc");
  await tui.hides("End 2 sessions?");
  // No answer given: they are still selected.
  await tui.shows("2 selected");
  tui.press("x");
  await tui.shows("End 2 sessions?");
  tui.press("y");
  await tui.shows("2 sessions have ended.");
  await tui.hides("2 selected");
  await Promise.all([home.waitForEnd(alpha), home.waitForEnd(omega)]);
  tui.press("q");
  await tui.ended();
});

test("a session that was resumed while the question stands is not dismissed with the ended ones", async () => {
  const home = new TestHome();
  const stays = await home.spawn("exit 0", { name: "stays" });
  const goes = await home.spawn("exit 0", { name: "goes" });
  await Promise.all([home.waitForEnd(stays), home.waitForEnd(goes)]);
  const tui = new Tui(home.home);
  await tui.shows("stays");
  await tui.shows("goes");
  tui.press("D");
  await tui.shows("Dismiss 2 ended sessions?");
  await home.spawn("exec cat", { name: "stays", id: stays });
  tui.press("y");
  await waitFor("the other to go", () => readdirSync(join(home.home, "sessions")).join() === stays);
  expect(await home.client.list()).toEqual([stays]);
  tui.press("q");
  await tui.ended();
});

test("the cost of all has a total and groupings, and a past session is starred, tagged and renamed in amux's home", async () => {
  const home = new TestHome();
  writeConversation(home);
  const run = { v: 1, runId: "r", agent: "claude", sessionId: PAST, tags: ["nightly"] };
  writeFileSync(join(home.home, "run-index.jsonl"), `${JSON.stringify(run)}\n`);
  const tui = new Tui(home.home);
  await tui.shows("mend the parser");
  tui.press("$");
  await tui.shows("all time, by model");
  await tui.shows(/total +≥?\$0\.00\d/);
  // The list still shows beside it.
  await tui.shows("SESSION");
  tui.press("g", "g");
  await tui.shows("all time, by session");
  await tui.shows(/mend the parser +≥?\$0\.00\d/);
  tui.press("p");
  await tui.shows("this month, by session");
  tui.press("q");
  await tui.hides("this month");
  await tui.shows("mend the parser");
  tui.press("*");
  await tui.shows("★ mend the parser");
  tui.press("#");
  await tui.shows("Your tags, separated");
  tui.type("release\r");
  await tui.shows("#release");
  tui.press("R");
  await tui.shows("Rename (empty: its own title)");
  tui.type("\x15parser work\r");
  await tui.shows("★ parser work");
  const labels = JSON.parse(readFileSync(join(home.home, "session-labels.json"), "utf8")) as unknown;
  expect(labels).toEqual({ [`claude:${PAST}`]: { tags: ["release"], starred: true, name: "parser work" } });
  tui.press("q");
  await tui.ended();
});

test("the terminal's own 16 colours are used where the settings say so; a wrong name is an error", async () => {
  const home = new TestHome();
  writeFileSync(join(home.home, "tui.json"), '{"theme": "terminal"}');
  const tui = new Tui(home.home, { cols: 80, rows: 24 });
  await tui.shows("No sessions yet.");
  tui.press("?");
  await tui.shows("Keys");
  tui.press("q");
  await tui.hides("The list of sessions");
  tui.press("q");
  await tui.ended();
  expect(tui.written).not.toMatch(/\x1b\[[\d;]*[34]8;[25];/);
  writeFileSync(join(home.home, "tui.json"), '{"theme": "light"}');
  const light = new Tui(home.home, { cols: 80, rows: 24 });
  await light.shows("No sessions yet.");
  // The bar of the light palette.
  expect(light.written).toMatch(/\x1b\[[\d;]*48;5;254/);
  light.press("q");
  await light.ended();
  writeFileSync(join(home.home, "tui.json"), '{"theme": "neon"}');
  const wrong = new Tui(home.home);
  expect(await wrong.ended()).not.toBe(0);
  expect(wrong.text()).toContain('"theme" is dark, light, terminal, not "neon"');
});

test("a terminal that is too small says so", async () => {
  const home = new TestHome();
  const tui = new Tui(home.home, { cols: 10, rows: 3 });
  await tui.shows("too small");
  tui.resize(80, 24);
  await tui.shows("No sessions yet.");
  tui.press("q");
  await tui.ended();
});
