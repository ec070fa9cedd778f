/** The list of all sessions: running, ended, tmux, past; its keys, views and attention queue. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

function report(home: TestHome, id: string, state: string, message: string): Promise<unknown> {
  const body = JSON.stringify({ state, message, source: "hook", at: new Date().toISOString() });
  return home.ask(id, { method: "POST", path: "/hook", body, headers: { "content-type": "application/json" } });
}

function writeStatusFile(home: TestHome, name: string, fields: object): void {
  const directory = join(home.home, ".claude-sessions");
  mkdirSync(directory, { recursive: true });
  const file = {
    tmux_session: name,
    status: "working",
    message: "",
    cwd: "/tmp",
    timestamp: Math.floor(Date.now() / 1000),
    ...fields,
  };
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(file));
}

const PAST = "0b5a7a52-6d0c-4f0e-9b57-0d7f3f1f8a01";

function writeConversation(home: TestHome): void {
  const directory = join(home.home, ".claude", "projects", "-tmp");
  mkdirSync(directory, { recursive: true });
  const common = { sessionId: PAST, cwd: "/tmp", version: "2.0.0", timestamp: "2026-01-02T03:04:05.000Z" };
  const lines = [
    {
      type: "user",
      uuid: "u1",
      parentUuid: null,
      ...common,
      message: { role: "user", content: "mend the parser please" },
    },
    {
      type: "assistant",
      uuid: "u2",
      parentUuid: "u1",
      ...common,
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [{ type: "text", text: "The parser is mended." }],
        usage: { input_tokens: 1000, output_tokens: 50 },
      },
    },
  ];
  writeFileSync(join(directory, `${PAST}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const row = (tui: Tui, text: string): number => tui.screen().findIndex((line) => line.includes(text));

test("every kind of session is listed, the most urgent first, and filtered by what is shown", async () => {
  const home = new TestHome();
  const asks = await home.spawn("exec cat", { name: "asks" });
  const works = await home.spawn("echo busy; exec cat", { name: "works" });
  const ended = await home.spawn("exit 3", { name: "over" });
  await home.waitForEnd(ended);
  await report(home, works, "working", "compiling jkjk");
  await report(home, asks, "permission", "May I remove it?");
  writeStatusFile(home, "elsewhere", {
    status: "done",
    agents: { opencode: { status: "waiting", timestamp: Math.floor(Date.now() / 1000) } },
    team: { name: "crew", agents: [{ name: "researcher", status: "working", timestamp: 1 }] },
  });
  writeConversation(home);
  const tui = new Tui(home.home, { cols: 120, rows: 40 });
  await tui.shows("May I remove it?");
  await tui.shows("mend the parser please");
  await tui.shows("elsewhere");
  await tui.shows("researcher");
  expect(row(tui, "asks")).toBeLessThan(row(tui, "works"));
  // Its composite status is that of the waiting agent.
  expect(row(tui, "elsewhere")).toBeLessThan(row(tui, "works"));
  expect(row(tui, "works")).toBeLessThan(row(tui, "over"));
  expect(row(tui, "over")).toBeLessThan(row(tui, "mend the parser"));
  await tui.shows("1 permission");
  tui.press("2");
  await tui.hides("compiling");
  await tui.shows("asks");
  tui.press("1");
  await tui.shows("elsewhere");
  await tui.hides("May I remove it?");
  tui.press("0");
  await tui.shows("compiling");
  // j and k are letters while a filter is typed. Shorter ones may be part of a random id.
  tui.press("/", "j", "k", "j", "k");
  await tui.hides("May I remove it?");
  await tui.shows("compiling");
  tui.press("esc");
  await tui.shows("May I remove it?");
  tui.press("s");
  await tui.shows("by name");
  tui.press("h");
  await tui.hides("mend the parser");
  tui.press("h");
  await tui.shows("mend the parser");
  await tui.hides("compiling");
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("the first row stays selected until a key is pressed, even when others are found later", async () => {
  const home = new TestHome();
  await home.spawn("exec cat", { name: "calm" });
  writeStatusFile(home, "urgent", { status: "permission", message: "May I?" });
  const tui = new Tui(home.home, { cols: 120, rows: 40 });
  await tui.shows("calm");
  await tui.shows("May I?");
  tui.press("i");
  await tui.shows("metrics · urgent");
});

test("the preview is live and leaves the session's size alone", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo inside; exec cat", { name: "one" });
  const tui = new Tui(home.home);
  await tui.shows("inside");
  await home.ask(id, { method: "POST", path: "/input", body: "more to see\n" });
  await tui.shows("more to see");
  expect((await home.meta(id)).terminal_cols).toBe(80);
  tui.press("p");
  await tui.hides("more to see");
  tui.press("p");
  await tui.shows("more to see");
  tui.press("q");
  await tui.ended();
});

test("a waiting session is answered from the list, without attaching", async () => {
  const home = new TestHome();
  const choice = join(import.meta.dirname, "../status/support/choice.mjs");
  const screen = join(import.meta.dirname, "../../src/agents/gemini/fixtures/screens/permission.txt");
  const options = ["Allow once", "Allow for", "No, suggest"];
  const command = [process.execPath, choice, screen, ...options];
  const id = await home.client.spawn({ command, cwd: home.home, name: "asks" });
  await home.waitForText(id, "No, suggest");
  await report(home, id, "permission", "May I?");
  const tui = new Tui(home.home);
  await tui.shows("1 waiting");
  tui.press("a");
  await tui.shows("Needs you (1)");
  await tui.shows("May I?");
  // As options to pick, above the session's screen.
  await tui.shows(/2 +Allow for this session/);
  tui.press("2");
  await home.waitForText(id, "took:Allow for:");
  await tui.shows("took:Allow for:");
  await report(home, id, "working", "at it");
  await report(home, id, "waiting", "What else?");
  await tui.shows("What else?");
  tui.press("t");
  await tui.shows("Reply to asks");
  tui.type("a whole line\r");
  await home.waitForText(id, "a whole line");
  // It asks nothing then: the text is a message.
  await report(home, id, "error", "it broke");
  await tui.shows("it broke");
  tui.press("t");
  await tui.shows("Reply to asks");
  tui.type("try again\r");
  await home.waitForText(id, "try again");
  tui.press("esc");
  await tui.hides("Needs you");
  // The notice is gone after seconds; the messages keep it, as they were when they were opened.
  await waitFor("the receipt among the messages", async () => {
    tui.press("ctrl+b", "`");
    await tui.shows(" Messages ");
    const isSent = /:\d\d {2}Sent to asks\./.test(tui.text());
    tui.press("q");
    await tui.hides(" Messages ");
    return isSent;
  });
  tui.press("q");
  await tui.ended();
});

test("text for one session does not go to another that began to ask meanwhile", async () => {
  const home = new TestHome();
  const [first, second] = [
    await home.spawn("exec cat", { name: "first" }),
    await home.spawn("exec cat", { name: "other" }),
  ];
  await report(home, first, "waiting", "Which colour?");
  const tui = new Tui(home.home);
  await tui.shows("1 waiting");
  tui.press("a");
  await tui.shows("Needs you (1)");
  tui.press("t");
  await tui.shows("Reply to first");
  // More urgent, so it comes first in the list below the prompt.
  await report(home, second, "permission", "May I delete it?");
  await tui.shows("Needs you (2)");
  tui.type("a fine green\r");
  await home.waitForText(first, "a fine green");
  expect(await home.text(second)).not.toContain("a fine green");
  tui.press("esc");
  await tui.hides("Needs you");
  tui.press("q");
  await tui.ended();
});

test("rename, end and dismiss", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "before" });
  const tui = new Tui(home.home);
  await tui.shows("before");
  tui.press("R");
  await tui.shows("Rename");
  tui.type("\x15after\r");
  await tui.shows("after");
  expect((await home.meta(id)).name).toBe("after");
  tui.press("x");
  await tui.shows("End after?");
  tui.press("n");
  await tui.hides("End after?");
  expect(await home.client.list()).toEqual([id]);
  tui.press("x");
  await tui.shows("End after?");
  tui.press("y");
  await tui.shows("ended ─");
  tui.press("d");
  await tui.hides("ended ─");
  tui.press("q");
  await tui.ended();
});

test("views work: transcript, cost, search, git, metrics, tasks, projects, explanation, keys, palette", async () => {
  const home = new TestHome();
  await home.spawn("exec cat", { name: "one", cwd: "/" });
  writeConversation(home);
  const tui = new Tui(home.home, { cols: 120, rows: 40 });
  await tui.shows("mend the parser please");
  for (const [key, wanted, back] of [
    ["G", "is not in a git repository", "esc"],
    ["i", "All sessions", "esc"],
    ["T", "No task provider is configured", "p"],
    ["P", "no repository", "P"],
    ["e", "no status reported", "esc"],
    ["?", "The list of sessions", "esc"],
    [":", "Commands", "esc"],
  ] as const) {
    tui.press(key);
    await tui.shows(wanted);
    tui.press(back);
    await tui.hides(wanted);
  }
  tui.press("down", "t");
  await tui.hides("t transcript");
  await tui.shows("#1 assistant");
  await tui.shows("f fork");
  await tui.shows("The parser is mended.");
  tui.press("q");
  // The footer shows that the list is back; the preview has the same words as the transcript.
  await tui.shows("t transcript");
  tui.press("c");
  await tui.shows(/cost +≥\$0\.004 \(lower-bound\)/);
  tui.press("q");
  tui.press("F");
  await tui.shows("Search all sessions");
  tui.type("mended");
  await tui.shows("› mended");
  await tui.hides("searching …");
  await tui.shows(/› mended[\s\S]*mend the parser please/);
  tui.press("enter");
  await tui.hides("Search all sessions");
  await tui.shows("The parser is mended.");
  tui.press("q");
  // Escape and a letter close together would be alt and that letter.
  await tui.shows("Search all sessions");
  tui.press("esc");
  await tui.hides("Search all sessions");
  tui.press("q");
  expect(await tui.ended()).toBe(0);
});

test("all terminals can be filtered, previewed, typed into and opened", async () => {
  const home = new TestHome();
  const one = await home.spawn("echo here is one; exec cat", { name: "one" });
  await home.spawn("echo here is two; exec cat", { name: "two" });
  const tui = new Tui(home.home);
  await tui.shows("two");
  tui.press("alt+g");
  await tui.shows("2 of all sessions");
  tui.type("one");
  await tui.shows("1 of all sessions");
  await tui.shows("here is one");
  tui.press("enter");
  await tui.shows("back to the list");
  tui.type("typed inside\r");
  await home.waitForText(one, "typed inside");
  tui.press("alt+esc");
  await tui.shows("type into it");
  tui.press("tab");
  await waitFor(
    "the session's own panes",
    () => tui.text().includes("vertical") && tui.text().includes("typed inside"),
  );
  expect(await tui.detach()).toBe(0);
});

test("40 columns and no colour are enough", async () => {
  const home = new TestHome();
  await home.spawn("exec cat", { name: "one" });
  const tui = new Tui(home.home, { cols: 40, rows: 10 }, { NO_COLOR: "1" });
  await tui.shows("one");
  // The selection must show without colours too.
  const chosen = tui.screen().findIndex((line) => line.includes("one"));
  expect(tui.emulator.terminal.buffer.active.getLine(chosen)?.getCell(5)?.isInverse()).toBeTruthy();
  tui.press("?");
  await tui.shows("Keys");
  tui.press("q");
  await tui.hides("The list of sessions");
  tui.press("q");
  await tui.ended();
  expect(tui.written).not.toMatch(/\x1b\[[\d;]*(?:38|48|3[0-7]|4[0-7]|9[0-7])(?:;|m)/);
});

test("Enter on an ended session shows it and runs nothing; b runs it again after a confirmation", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo applied >> applied; echo it failed; exit 3", { name: "apply" });
  await home.waitForEnd(id);
  const times = (): number => readFileSync(join(home.home, "applied"), "utf8").split("\n").length - 1;
  const tui = new Tui(home.home);
  await tui.shows("apply");
  tui.press("enter");
  await tui.shows("it failed");
  await tui.shows("exited (3)");
  await tui.shows("b runs it again");
  expect(times()).toBe(1);
  tui.press("b");
  await tui.shows("Run this again in");
  tui.press("esc");
  await tui.hides("Run this again in");
  expect(times()).toBe(1);
  tui.press("b");
  await tui.shows("Run this again in");
  tui.press("y");
  await waitFor("the second run", () => times() === 2);
});
