/**
 * Messages to real programs in sessions, and answers to their dialogs. `npm test` does not install them: see `node
 * test/run/real-agents/run.mjs`.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AllQueues } from "../../../src/protocol/queue.ts";
import { needs } from "../../support/needs.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { RealAgent } from "./agent-homes.ts";
import { WORDS } from "./scripted-model.ts";
import { describeEach, SessionStage } from "./session-stage.ts";
import { SPOKEN } from "./spoken.ts";

/** Their transcripts are no JSON lines, or their hooks do not name them: the screen is the receipt. */
const receiptOf: Readonly<Record<string, string>> = {
  opencode: "screen",
  kimi: "screen",
  cn: "screen",
  kilo: "screen",
  cline: "screen",
};

describeEach(speaking);

function speaking(agent: RealAgent): void {
  const {
    permits,
    asks,
    takesReason = false,
    takesPrompt = false,
    asksOnScreen = false,
    takesOwnWords = true,
    submits,
  } = SPOKEN[agent.name]!;
  let stage: SessionStage;
  const amux = (...words: string[]) => stage.amux(...words);
  const expectCode = (code: number, ...words: string[]) => stage.expectCode(code, ...words);
  const isIdle = () => stage.isIdle();
  /** The question holds both colours equally often; the answer adds one of them, or other words. */
  const isTold = (words: string): boolean => {
    const body = stage.service.model.served.at(-1)?.body ?? "";
    const times = (part: string): number => body.split(part).length - 1;
    return times(words) > (words === "Blue" ? times("Red") : 0);
  };
  /** Two comments; the model's answer repeats the word. */
  const comment = async (word: string): Promise<void> => {
    writeFileSync(join(stage.cwd, "pay.ts"), "export function pay() {\n\tconst cents = 100;\n\treturn cents;\n}\n");
    await expectCode(0, "review", "add", "a", "pay.ts:2-3", `Round "cents" first.`);
    await expectCode(0, "review", "add", "a", "pay.ts:1", `Name it, and ${WORDS.say}${word}`);
  };
  const expectComments = (word: string, since: number): void => {
    const bodies = stage.service.model.served.slice(since).map(({ body }) => body);
    const body = bodies.find((each) => each.includes(`${WORDS.say}${word}`)) ?? "";
    // Claude Code makes four spaces of a pasted tab.
    const found = body.slice(body.indexOf("review comments on")).slice(0, 1000).replaceAll("\\t", "    ");
    const said = [
      'pay.ts, lines 2-3:\n\n```ts\n    const cents = 100;\n    return cents;\n```\n\nRound "cents" first.',
      `pay.ts, line 1:\n\n\`\`\`ts\nexport function pay() {\n\`\`\`\n\nName it, and ${WORDS.say}${word}`,
    ];
    for (const text of said) expect(found).toContain(JSON.stringify(text).slice(1, -1));
  };
  const made = (): boolean => existsSync(join(stage.cwd, "made.txt"));

  beforeAll(async () => {
    stage = await SessionStage.start(agent);
  });

  afterAll(() => stage.end("a"));

  it("begins when its startup questions are answered", () => stage.begin());

  it("takes messages, each as it was sent", async () => {
    for (const word of ["hello", "again"]) await stage.say(`Please ${WORDS.say}${word}`, `${word}-ANSWERED`);
  });

  it("takes queued prompts one after the other, once each", async () => {
    const since = stage.service.model.served.length;
    const words = ["queued-one", "queued-two", "queued-three"];
    await amux("send", "a", `Please ${WORDS.say}busy`);
    for (const word of words) await expectCode(0, "queue", "a", `Please ${WORDS.say}${word}`);
    const items = await waitFor("the receipts", async () => {
      const { sessions } = JSON.parse((await amux("queue", "list", "a", "--json")).stdout) as AllQueues;
      const found = sessions[0]!.items.filter(({ text }) => text.includes("queued-"));
      return found.every(({ state }) => state === "delivered" || state === "held") ? found : undefined;
    });
    expect(items.map(({ state, note, receipt }) => ({ state, note, receipt }))).toEqual(
      words.map(() => ({ state: "delivered", receipt: receiptOf[agent.name] ?? "transcript" })),
    );
    await isIdle();
    const got = stage.service.model.served.slice(since).flatMap(({ asked: { prompt, tools } }) => {
      return tools.length === 0 ? [] : words.filter((word) => prompt.includes(word));
    });
    expect(got).toEqual(words);
  });

  it("gets review comments in its next request: file, lines, code and comment", async () => {
    const since = stage.service.model.served.length;
    await comment("reviewed");
    const sent = await amux("review", "send", "a", "--json");
    expect([sent.code, JSON.parse(sent.stdout)]).toEqual([
      0,
      expect.objectContaining({ receipt: expect.stringMatching(/delivered|queued/) as string, comments: [1, 2] }),
    ]);
    await waitFor("its answer", async () => (await amux("capture", "a")).stdout.includes("reviewed-ANSWERED"));
    expectComments("reviewed", since);
    await isIdle();
  });

  it(
    "is started on review comments",
    needs(takesPrompt, "an agent that was tried with comments as its prompt"),
    async () => {
      const since = stage.service.model.served.length;
      await comment("started");
      const sent = await amux("review", "send", "a", "--new", agent.name, "--json");
      const { session } = JSON.parse(sent.stdout) as { session: string };
      await waitFor("its answer", async () => (await amux("capture", session)).stdout.includes("started-ANSWERED"));
      expectComments("started", since);
      await amux("kill", session);
    },
  );

  it(
    "gets no permission by a message, and by an answer exactly the given one",
    needs(permits, "an agent that asks for permission"),
    async () => {
      await amux("send", "a", `Please ${WORDS.tool} ${WORDS.outside}`);
      await stage.asked(asksOnScreen ? "question" : "permission");
      await expectCode(2, "send", "a", "stop, do not write that");
      // Free text is the reason of a refusal, where the agent takes one.
      await expectCode(takesReason ? 0 : 2, "answer", "a", "none of these");
      if (!takesReason) await expectCode(0, "answer", "a", "deny");
      expect(made()).toBe(false);
      await isIdle();
      await amux("send", "a", `Please ${WORDS.tool} ${WORDS.outside}`);
      await stage.asked(asksOnScreen ? "question" : "permission");
      await expectCode(0, "answer", "a", "allow");
      await waitFor("what it was allowed", made);
      await isIdle();
    },
  );

  it("gets the chosen option, and free text", needs(asks, "an agent that asks questions"), async () => {
    for (const [words = "", told = ""] of [
      ["Blue", "Blue"],
      ["with 3 green dots", "with 3 green dots"],
    ].slice(0, takesOwnWords ? 2 : 1)) {
      await amux("send", "a", `Please ${WORDS.ask}one`);
      await stage.asked("question");
      await expectCode(0, "answer", "a", words);
      if (submits !== undefined) await expectCode(0, "answer", "a", submits);
      await waitFor("what the model is told", () => isTold(told));
      await isIdle();
    }
  });
}
