/**
 * Messages to real programs in sessions, and answers to their dialogs. `npm test` does not install them: see `node
 * test/run/real-agents/run.mjs`.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AllQueues } from "../../../src/protocol/queue.ts";
import { runCli } from "../../support/run-cli.ts";
import { homeAt, type TempHome } from "../../support/temp-home.ts";
import { waitFor } from "../../support/wait-for.ts";
import { REAL_AGENTS, settle, type RealAgent } from "./agent-homes.ts";
import { MORE_AGENTS } from "./more-homes.ts";
import { startModelService, type ModelService } from "./model-service.ts";
import { WORDS } from "./scripted-model.ts";
import { needs } from "../../support/needs.ts";

/** The directory of the programs. */
const BIN = process.env["AMUX_REAL_AGENTS"] ?? "";

interface Spoken {
  /** Arguments that prevent side requests to the service. */
  args?: string[];
  /** Asks on its screen before it runs a command. */
  permits: boolean;
  /** Has a tool that asks the user in a plain session. */
  asks: boolean;
  /** Accepts a reason when permission is refused. */
  takesReason?: boolean;
  /** Comments were also sent to a newly started one. */
  takesPrompt?: boolean;
  /** The option on the page after a question. */
  submits?: string;
  /** Only its screen shows a permission, as a question like others. */
  asksOnScreen?: boolean;
  /** False: amux cannot type an own answer to a question. */
  takesOwnWords?: boolean;
  /** Its hooks cannot be given to one start. */
  needsHooks?: boolean;
  prepare?(home: TempHome, vars: Record<string, string>): void;
}

const KEY = "sk-ant-api03-00000000000000000000000000000000";

const SPOKEN: Readonly<Record<string, Spoken>> = {
  claude: {
    permits: true,
    asks: true,
    takesReason: true,
    takesPrompt: true,
    prepare(home, vars) {
      const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] };
      const settings = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses };
      home.write(".claude.json", JSON.stringify(settings));
      home.write(".claude/settings.json", JSON.stringify({ permissions: { defaultMode: "default" } }));
      vars["ANTHROPIC_API_KEY"] = KEY;
    },
  },
  codex: {
    // Otherwise it asks only before it leaves its sandbox, and questions only in plan mode.
    args: ["-s", "workspace-write", "-a", "on-request", "--enable", "default_mode_request_user_input"],
    permits: true,
    asks: true,
    takesReason: true,
    takesPrompt: true,
  },
  gemini: { args: ["-m", "gemini-2.5-flash"], permits: true, asks: true },
  copilot: { permits: true, asks: true, takesReason: true },
  opencode: {
    permits: true,
    asks: true,
    prepare: (home) => home.write("work/opencode.json", JSON.stringify({ permission: { bash: "ask" } })),
  },
  kilo: {
    permits: true,
    asks: true,
    prepare: (home) => home.write("work/kilo.json", JSON.stringify({ permission: { bash: "ask" } })),
  },
  pi: { permits: false, asks: false },
  kimi: { permits: true, asks: true, submits: "Submit", needsHooks: true },
  // By itself it lets a model judge its commands.
  qwen: { args: ["--approval-mode", "default"], permits: true, asks: true },
  cn: {
    // It reads no configuration by itself before its first sign-in.
    args: ["--config", "../.continue/config.yaml"],
    permits: true,
    asks: true,
    takesReason: true,
    asksOnScreen: true,
    takesOwnWords: false,
  },
  grok: { permits: true, asks: true, takesReason: true, needsHooks: true },
  droid: { permits: true, asks: true },
  cline: { args: ["--auto-approve", "false"], permits: true, asks: true, asksOnScreen: true },
};

/** Their transcripts are no JSON lines, or their hooks do not name them: the screen is the receipt. */
const receiptOf: Readonly<Record<string, string>> = {
  opencode: "screen",
  kimi: "screen",
  cn: "screen",
  kilo: "screen",
  cline: "screen",
};

interface Item {
  reason: string;
  text?: string;
  options?: { number?: string; label: string }[];
}

for (const agent of [...REAL_AGENTS, ...MORE_AGENTS]) {
  const isThere = BIN !== "" && existsSync(join(BIN, agent.name));
  describe(
    `${agent.name} ${agent.version}`,
    { ...needs(isThere, "real agents (node test/run/real-agents/run.mjs)"), timeout: 240_000 },
    () => {
      speaking(agent);
    },
  );
}

function speaking(agent: RealAgent): void {
  const {
    args = [],
    permits,
    asks,
    takesReason = false,
    takesPrompt = false,
    asksOnScreen = false,
    takesOwnWords = true,
    needsHooks = false,
    submits,
    prepare,
  } = SPOKEN[agent.name]!;
  let home: string;
  let service: ModelService;
  let place: { cwd: string; vars: Record<string, string> };

  const amux = (...words: string[]) =>
    runCli(words, {
      home,
      cwd: place.cwd,
      vars: { ...place.vars, TERM: "xterm-256color", AMUX_HOME: join(home, "amux") },
    });
  const asked = (reason?: string) =>
    waitFor(`a ${reason ?? "question or permission"}`, async () => {
      const items = JSON.parse((await amux("attention", "--json")).stdout) as Item[];
      const isOf = (item: Item): boolean => reason === undefined || item.reason === reason;
      return items.find((item) => isOf(item) && (item.options?.length ?? 0) > 1);
    });
  /** Fails with the output and the screen. */
  const expectCode = async (code: number, ...words: string[]): Promise<void> => {
    const { code: was, stdout, stderr } = await amux(...words);
    const screen = was === code ? "" : (await amux("capture", "a")).stdout;
    expect({ was, told: was === code ? "" : stdout + stderr, screen }).toEqual({ was: code, told: "", screen: "" });
  };
  const isIdle = () => amux("wait", "a", "--for", "idle", "--timeout", "60s");
  /** The question holds both colours equally often; the answer adds one of them, or other words. */
  const isTold = (words: string): boolean => {
    const body = service.model.served.at(-1)?.body ?? "";
    const times = (part: string): number => body.split(part).length - 1;
    return times(words) > (words === "Blue" ? times("Red") : 0);
  };
  /** Two comments; the model's answer repeats the word. */
  const comment = async (word: string): Promise<void> => {
    writeFileSync(join(place.cwd, "pay.ts"), "export function pay() {\n\tconst cents = 100;\n\treturn cents;\n}\n");
    await expectCode(0, "review", "add", "a", "pay.ts:2-3", `Round "cents" first.`);
    await expectCode(0, "review", "add", "a", "pay.ts:1", `Name it, and ${WORDS.say}${word}`);
  };
  const expectComments = (word: string, since: number): void => {
    const bodies = service.model.served.slice(since).map(({ body }) => body);
    const body = bodies.find((each) => each.includes(`${WORDS.say}${word}`)) ?? "";
    // Claude Code makes four spaces of a pasted tab.
    const found = body.slice(body.indexOf("review comments on")).slice(0, 1000).replaceAll("\\t", "    ");
    const said = [
      'pay.ts, lines 2-3:\n\n```ts\n    const cents = 100;\n    return cents;\n```\n\nRound "cents" first.',
      `pay.ts, line 1:\n\n\`\`\`ts\nexport function pay() {\n\`\`\`\n\nName it, and ${WORDS.say}${word}`,
    ];
    for (const text of said) expect(found).toContain(JSON.stringify(text).slice(1, -1));
  };
  const made = (): boolean => existsSync(join(place.cwd, "made.txt"));

  beforeAll(async () => {
    // Below a world-writable directory Gemini skips hooks.
    const parent = join(homedir(), ".cache");
    mkdirSync(parent, { recursive: true });
    home = mkdtempSync(join(parent, "amux-speak-"));
    service = await startModelService();
    place = settle(agent, homeAt(home), service.url, BIN);
    prepare?.(homeAt(home), place.vars);
    if (needsHooks) await expectCode(0, "hooks", "install", agent.name);
    const { code, stderr } = await amux("run", "-d", "--name", "a", "--", agent.name, ...args);
    expect([code, stderr]).toEqual([0, ""]);
  });

  afterAll(async () => {
    await amux("kill", "a");
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("begins when its startup questions are answered", async () => {
    await waitFor("its screen", async () => (await amux("capture", "a")).stdout.trim().length > 200);
    // Trust, mode or model dialogs: one of these options changes least.
    for (let dialogs = 0; dialogs < 4; dialogs++) {
      const { code } = await amux("wait", "a", "--for", "idle", "--timeout", "10s");
      if (code === 0) break;
      const { options = [] } = await asked();
      const picked = options.find(({ label }) => /^(?:Yes|Trust\b|No, keep|Use existing)/.test(label))!;
      const wanted = options.find(({ label }) => /^(?:No, keep|Use existing)/.test(label)) ?? picked;
      const answered = await amux("answer", "a", wanted.number ?? wanted.label, "--json");
      expect([answered.code, JSON.parse(answered.stdout)]).toEqual([
        0,
        expect.objectContaining({ option: wanted.label }),
      ]);
    }
    await expectCode(0, "wait", "a", "--for", "idle", "--timeout", "60s");
  });

  it("takes messages, each as it was sent", async () => {
    for (const word of ["hello", "again"]) {
      const sent = await amux("send", "a", `Please ${WORDS.say}${word}`, "--json");
      expect([sent.code, JSON.parse(sent.stdout)]).toEqual([0, expect.objectContaining({ confirmed: true })]);
      await waitFor("its answer", async () => (await amux("capture", "a")).stdout.includes(`${word}-ANSWERED`));
      await isIdle();
    }
  });

  it("takes queued prompts one after the other, once each", async () => {
    const since = service.model.served.length;
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
    const got = service.model.served.slice(since).flatMap(({ asked: { prompt, tools } }) => {
      return tools.length === 0 ? [] : words.filter((word) => prompt.includes(word));
    });
    expect(got).toEqual(words);
  });

  it("gets review comments in its next request: file, lines, code and comment", async () => {
    const since = service.model.served.length;
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
      const since = service.model.served.length;
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
      await asked(asksOnScreen ? "question" : "permission");
      await expectCode(2, "send", "a", "stop, do not write that");
      // Free text is the reason of a refusal, where the agent takes one.
      await expectCode(takesReason ? 0 : 2, "answer", "a", "none of these");
      if (!takesReason) await expectCode(0, "answer", "a", "deny");
      expect(made()).toBe(false);
      await isIdle();
      await amux("send", "a", `Please ${WORDS.tool} ${WORDS.outside}`);
      await asked(asksOnScreen ? "question" : "permission");
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
      await asked("question");
      await expectCode(0, "answer", "a", words);
      if (submits !== undefined) await expectCode(0, "answer", "a", submits);
      await waitFor("what the model is told", () => isTold(told));
      await isIdle();
    }
  });
}
