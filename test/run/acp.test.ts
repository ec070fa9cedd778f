/** A run over the Agent Client Protocol, from the first message to the end of the program. */
import { describe, expect, it } from "vitest";
import { createClient, type RunHandle, type RunOptions } from "../../src/index.ts";
import { fakeAgent, type FakeAgent } from "../support/fake-agent.ts";

function start(fake: FakeAgent, prompt: string, options: Partial<RunOptions> = {}): RunHandle {
  return createClient({ env: fake.env }).run({ agent: "cline", prompt, cwd: fake.home.path, ...options });
}

describe("an agent that speaks the Agent Client Protocol", () => {
  it("gets the prompt once its session is open, and ends when its input is closed", async () => {
    const fake = fakeAgent("cline", "acp");
    expect(await start(fake, "hello")).toMatchObject({
      exitReason: "completed",
      exitCode: 0,
      text: "You said: hello",
      sessionId: "1794974071001_OGGv3_cli",
    });
    expect(fake.notes()).toEqual(["initialize", "session/new", "session/prompt"]);
  });

  it("takes the next prompt in the same process", async () => {
    const fake = fakeAgent("cline", "acp");
    const run = start(fake, "one");
    await run.queue("two");
    expect(await run).toMatchObject({ text: "You said: two", turnCount: 2 });
    expect(fake.notes().filter((note) => note === "initialize")).toHaveLength(1);
  });

  it.each([
    ["approve", "I ran it."],
    ["deny", "I did not."],
  ] as const)("does what the answer says: %s", async (decision, text) => {
    const run = start(fakeAgent("cline", "acp"), "ask ls", { onApprovalRequest: async () => decision });
    expect(await run).toMatchObject({ exitReason: "completed", text });
  });

  it("refuses a tool that nobody can allow", async () => {
    expect(await start(fakeAgent("cline", "acp"), "ask ls", { nonInteractive: true })).toMatchObject({
      exitReason: "completed",
      text: "I did not.",
    });
  });

  it("is interrupted as soon as it has a session", async () => {
    const fake = fakeAgent("cline", "acp");
    const run = start(fake, "work");
    run.on("session_start", () => void run.interrupt());
    expect(await run).toMatchObject({ exitReason: "interrupted", exitCode: 0 });
    expect(fake.notes().slice(-2)).toEqual(["session/prompt", "session/cancel"]);
  });
});
