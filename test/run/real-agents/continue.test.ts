/**
 * Conversations of real programs, resumed and forked in a terminal. `npm test` does not install them: see `node
 * test/run/real-agents/run.mjs`.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { AgentRegistry } from "../../../src/agents/registry.ts";
import type { SessionMessage } from "../../../src/core/session.ts";
import { needs } from "../../support/needs.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { RealAgent } from "./agent-homes.ts";
import { WORDS } from "./scripted-model.ts";
import { describeEach, SessionStage } from "./session-stage.ts";
import { SPOKEN } from "./spoken.ts";

interface Listed {
  sessionId: string;
  forkedFrom?: string;
}

describeEach(continuing);

async function continuing(agent: RealAgent): Promise<void> {
  const { namesSession = true } = SPOKEN[agent.name]!;
  const { canResume, canFork } = (await new AgentRegistry().get(agent.name)).capabilities;
  let stage: SessionStage;
  let sessionId: string;

  const listed = () => stage.json<Listed[]>("sessions", "list", agent.name);
  /** The words that were asked for and answered, in order. */
  const spokenIn = async (id: string): Promise<string[]> => {
    const { messages } = await stage.json<{ messages: SessionMessage[] }>("sessions", "show", `${agent.name}:${id}`);
    const said = messages.filter(({ role }) => role === "user" || role === "assistant");
    return said.flatMap(({ content }) => /SAY-[a-z]+|[a-z]+-ANSWERED/.exec(content)?.[0] ?? []);
  };
  const turn = (word: string): string[] => [`${WORDS.say}${word}`, `${word}-ANSWERED`];
  /** Says a word, and expects that the model is told the earlier ones. */
  const say = async (word: string, earlier: readonly string[], session: string): Promise<void> => {
    const since = stage.service.model.served.length;
    await stage.say(`Please ${WORDS.say}${word}`, `${word}-ANSWERED`, session);
    const asked = stage.service.model.served.slice(since).filter(({ asked: { prompt, tools } }) => {
      return tools.length > 0 && prompt.includes(`${WORDS.say}${word}`);
    });
    // Grok asks for a summary of the turn, too.
    expect(earlier.filter((each) => asked[0]?.body.includes(`${each}-ANSWERED`))).toEqual(earlier);
  };

  beforeAll(async () => {
    stage = await SessionStage.start(agent);
    await stage.begin();
    await say("alpha", [], "a");
    const [first] = await waitFor("its session", async () => (await listed()).slice(0, 1));
    sessionId = first!.sessionId;
    await stage.expectCode(0, "kill", "a");
  }, 240_000);

  afterAll(() => stage.end("a", "b", "c"));

  it(
    "goes on in its ended session",
    needs(canResume && namesSession, "an agent that names its conversation to its session"),
    async () => {
      await stage.expectCode(0, "resume", "a", "-d");
      await stage.begin();
      await say("beta", ["alpha"], "a");
      await stage.expectCode(0, "kill", "a");
      await waitFor("both turns", async () => (await spokenIn(sessionId)).length === 4);
      expect(await spokenIn(sessionId)).toEqual([...turn("alpha"), ...turn("beta")]);
      expect((await listed()).map((each) => each.sessionId)).toEqual([sessionId]);
    },
  );

  it("goes on with a conversation from the list", needs(canResume, "an agent that resumes"), async () => {
    const before = await spokenIn(sessionId);
    await stage.expectCode(0, "sessions", "resume", `${agent.name}:${sessionId}`, "-d", "--name", "b");
    await stage.begin("b");
    await say("gamma", ["alpha"], "b");
    await stage.expectCode(0, "kill", "b");
    await waitFor("the new turn", async () => (await spokenIn(sessionId)).length > before.length);
    expect(await spokenIn(sessionId)).toEqual([...before, ...turn("gamma")]);
    expect((await listed()).map((each) => each.sessionId)).toEqual([sessionId]);
  });

  it("continues a copy", needs(canFork, "an agent that forks"), async () => {
    const before = await spokenIn(sessionId);
    await stage.expectCode(0, "sessions", "fork", `${agent.name}:${sessionId}`, "-d", "--name", "c");
    await stage.begin("c");
    await say("delta", ["alpha"], "c");
    await stage.expectCode(0, "kill", "c");
    const fork = await waitFor("the copy", async () => (await listed()).find((each) => each.sessionId !== sessionId));
    expect(fork.forkedFrom).toBe(sessionId);
    await waitFor("its turn", async () => (await spokenIn(fork.sessionId)).length > before.length);
    expect(await spokenIn(fork.sessionId)).toEqual([...before, ...turn("delta")]);
    expect(await spokenIn(sessionId)).toEqual(before);
  });
}
