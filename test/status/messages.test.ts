/** Messages to sessions: real runners and commands; the agents are small programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";
import { screenFile } from "./support/screens.ts";

const COMPOSER = join(import.meta.dirname, "support/composer.mjs");
const CHOICE = join(import.meta.dirname, "support/choice.mjs");

const amux = (home: TestHome, ...args: string[]) => warmCli(args, { home: home.home, vars: { AMUX_HOME: home.home } });

async function composer(home: TestHome, ...args: string[]): Promise<string> {
  const command = [process.execPath, COMPOSER, ...args];
  const id = await home.client.spawn({ command, cwd: home.home, kind: "codex" });
  await home.waitForText(id, "for shortcuts");
  return id;
}

describe("a message", () => {
  it("does not stay in the input line of an agent that takes text and Enter together for a paste", async () => {
    const home = new TestHome();
    const id = await composer(home, "120");
    const sent = await amux(home, "send", id, "hello there", "--json");
    expect([sent.code, JSON.parse(sent.stdout)]).toEqual([
      0,
      { session: id, via: "typed", receipt: "delivered", confirmed: true, state: "working" },
    ]);
    await home.waitForText(id, "took:hello there:");
  });

  it("of several lines arrives as one", async () => {
    const home = new TestHome();
    const id = await composer(home, "120");
    expect((await amux(home, "send", id, "first\nsecond")).code).toBe(0);
    await home.waitForText(id, /took:first\s+second:/);
  });

  it("for a working agent is reported as queued", async () => {
    const home = new TestHome();
    const id = await composer(home, "0", "queue");
    await waitFor("the work", async () => (await home.meta(id)).state?.state === "working");
    const sent = await amux(home, "send", id, "and then this");
    expect([sent.code, sent.stderr]).toEqual([0, expect.stringContaining("Queued")]);
    await home.waitForText(id, "queued:and then this:");
  });

  it("that stays in the input line is reported as not accepted", async () => {
    const home = new TestHome();
    const id = await composer(home, "60000");
    const sent = await amux(home, "send", id, "hello", "--json");
    expect([sent.code, JSON.parse(sent.stdout)]).toEqual([1, expect.objectContaining({ receipt: "not_taken" })]);
  });

  it("that the agent wrote down counts as accepted, also if its screen is slow to show it", async () => {
    const home = new TestHome();
    const transcript = join(home.home, "transcript.jsonl");
    writeFileSync(transcript, "");
    const command = [process.execPath, COMPOSER, "60000"];
    const env = { TRANSCRIPT: transcript };
    const id = await home.client.spawn({ command, cwd: home.home, kind: "codex", env });
    await home.waitForText(id, "for shortcuts");
    const report = { agent: "codex", state: "idle", source: "hook", session: "s", transcript };
    await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    const { stdout } = await amux(home, "send", id, "hello", "--json");
    expect(await home.text(id)).toContain("❯ hello");
    expect(JSON.parse(stdout)).toMatchObject({ receipt: "delivered", confirmed: true });
  });

  it("for a plain program is typed at once, and so are keys and raw bytes", async () => {
    const home = new TestHome();
    const id = await home.spawn("stty -echo; read a; echo got:$a:; read b; echo got:$b:; exec cat");
    const sent = await amux(home, "send", id, "one", "--json");
    expect(JSON.parse(sent.stdout)).toMatchObject({ receipt: "delivered" });
    await home.waitForText(id, "got:one:");
    expect((await amux(home, "send", id, "tw", "--raw")).code).toBe(0);
    expect((await amux(home, "send", id, "-k", "o", "-k", "Enter")).code).toBe(2);
    expect((await amux(home, "send", id, "o", "--no-enter")).code).toBe(0);
    expect((await amux(home, "send", id, "-k", "Enter")).code).toBe(0);
    await home.waitForText(id, "got:two:");
  });
});

describe("a message while permission is requested", () => {
  async function asking(home: TestHome): Promise<string> {
    const options = ["1. Yes", "2. Yes, and always", "3. Yes, and switch", "4. No"];
    const command = [process.execPath, CHOICE, screenFile("claude", "permission"), ...options];
    const id = await home.client.spawn({ command, cwd: home.home, kind: "claude" });
    await home.waitForText(id, "Do you want to proceed?");
    const report = { agent: "claude", state: "permission", message: "Bash: rm -rf build", source: "hook", ask: "a1" };
    await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    return id;
  }

  it("does not grant it: nothing is typed, and the question and how to answer are shown", async () => {
    const home = new TestHome();
    const id = await asking(home);
    const sent = await amux(home, "send", id, "stop, do not write that");
    expect([sent.code, sent.stderr]).toEqual([2, expect.stringContaining("Bash: rm -rf build")]);
    expect(sent.stderr).toMatch(/amux answer: 1 Yes · .* · 4 No\./);
    expect(await home.text(id)).not.toMatch(/took:|key:/);
  });

  it("is typed when forced, and keys always are", async () => {
    const home = new TestHome();
    const id = await asking(home);
    expect((await amux(home, "send", id, "-k", "Down")).code).toBe(0);
    await home.waitForText(id, /❯ 2\. Yes/);
    await amux(home, "send", id, "go", "--force");
    await home.waitForText(id, "took:2. Yes, and always:");
  });

  it("is answered by the named option, and never by the marked one", async () => {
    const home = new TestHome();
    const id = await asking(home);
    await waitFor("its options", async () => (await home.meta(id)).state?.options?.length === 4);
    const { code, stdout } = await amux(home, "answer", id, "deny", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ option: "No", via: "typed" })]);
    await home.waitForText(id, "took:4. No:");
  });
});

describe("a question with options", () => {
  async function asking(home: TestHome): Promise<string> {
    const command = [
      process.execPath,
      CHOICE,
      screenFile("claude", "question"),
      "Red",
      "Blue",
      "Type something.…",
      "Chat about",
    ];
    const id = await home.client.spawn({ command, cwd: home.home, kind: "claude" });
    await home.waitForText(id, "Which colour");
    const options = [{ label: "Red" }, { label: "Blue" }];
    const report = { agent: "claude", state: "waiting", message: "Which colour?", source: "hook", ask: "q1", options };
    await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    return id;
  }

  it("takes Blue for Blue, not for the marked option", async () => {
    const home = new TestHome();
    const id = await asking(home);
    expect(JSON.parse((await amux(home, "answer", id, "Blue", "--json")).stdout)).toMatchObject({ option: "Blue" });
    await home.waitForText(id, "took:Blue:");
  });

  it("types free text only into the option that accepts it", async () => {
    const home = new TestHome();
    const id = await asking(home);
    const { stdout } = await amux(home, "answer", id, "with 2 green dots", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ option: "Type something.", confirmed: true });
    await home.waitForText(id, "took:Type something.:with 2 green dots:");
  });

  it("whose options are unreadable on the screen is not typed into", async () => {
    const home = new TestHome();
    const id = await home.spawn("stty -echo; echo one or two; read x; echo got:$x:", { kind: "claude" });
    await home.waitForText(id, "one or two");
    const report = {
      agent: "claude",
      state: "waiting",
      message: "Which?",
      source: "hook",
      options: [{ label: "one" }],
    };
    await home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    const { code, stderr } = await amux(home, "answer", id, "one");
    expect([code, stderr]).toEqual([6, expect.stringContaining("Nothing was typed")]);
    expect(await home.text(id)).not.toContain("got:");
  });
});
