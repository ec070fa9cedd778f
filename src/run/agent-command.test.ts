import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { AgentAdapter } from "../agents/adapter.ts";
import { AgentRegistry } from "../agents/registry.ts";
import type { RunOptions } from "../core/run-options.ts";
import { requestFor, supportOf } from "./agent-request.ts";
import { ConfigManager } from "./config.ts";
import { findConfigDirectories } from "./config-directories.ts";
import { ProfileManager } from "./profiles.ts";
import { planRun } from "./run-plan.ts";
import { Scratch } from "./scratch.ts";

const registry = new AgentRegistry();
const env = { home: "/nonexistent", platform: "linux" as const, vars: {} };

function prepare(adapter: AgentAdapter, options: Partial<RunOptions> = {}) {
  const places = findConfigDirectories(env, "/");
  const settings = {
    config: new ConfigManager(places, "/"),
    profiles: new ProfileManager(places, "/"),
    client: {},
    cwd: "/",
  };
  const plan = planRun({ agent: adapter.name, prompt: "-Fix it", ...options }, settings);
  const { request, fallbacks } = requestFor(plan, adapter, new Scratch());
  const prepared = supportOf(adapter).prepare(request, {
    env,
    scratch: (name) => `/scratch/${name}`,
    scratchFolder: (name) => `/scratch/${name}`,
    now: () => 0,
  });
  return { ...prepared, fallbacks: [...fallbacks, ...(prepared.fallbacks ?? [])] };
}

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe.each([
  ["codex", ["exec", "--json", "-"], "-Fix it"],
  ["gemini", ["-o", "stream-json"], "-Fix it"],
  ["copilot", ["--output-format", "json", "--session-id", UUID, "--prompt=-Fix it"], undefined],
  ["cursor", ["-p", "--output-format", "stream-json", "--", "-Fix it"], undefined],
  ["opencode", ["run", "--format", "json", "--thinking"], "-Fix it"],
  ["kilo", ["run", "--format", "json", "--thinking"], "-Fix it"],
  ["pi", ["-p", "--mode", "json"], "-Fix it"],
  ["omp", ["-p", "--mode", "json"], "-Fix it"],
  ["openclaw", ["agent", "--json", "--session-id", UUID, "--message=-Fix it"], undefined],
  ["cn", ["-p"], "-Fix it"],
  ["kimi", ["--output-format", "stream-json", "--prompt=-Fix it"], undefined],
  ["qwen", ["-o", "stream-json", "--include-partial-messages"], "-Fix it"],
  ["droid", ["exec", "-o", "stream-json", "-f", "/scratch/prompt.txt"], undefined],
  [
    "grok",
    ["--prompt-file", "/scratch/prompt.txt", "--output-format", "streaming-json", "--session-id", UUID],
    undefined,
  ],
  ["hermes", ["--usage-file", "/scratch/usage.json", "-z-Fix it"], undefined],
])("%s", (name, args, stdin) => {
  it("accepts a prompt that begins with a dash", async () => {
    const prepared = prepare(await registry.get(name));
    expect(prepared.args).toEqual(args);
    expect(prepared.stdin).toBe(stdin);
  });
});

describe.each([
  ["claude", { sessionId: "s" }, "--resume s"],
  ["claude", { forkSessionId: "s" }, "--resume s --fork-session"],
  ["claude", { noSession: true }, "--no-session-persistence"],
  ["claude", { approvalMode: "yolo" }, "--dangerously-skip-permissions"],
  ["codex", { sessionId: "s", model: "m", approvalMode: "deny" }, "exec --json -m m -s read-only resume s -"],
  ["codex", { forkSessionId: "s" }, "exec --json fork s -"],
  ["codex", { noSession: true, thinkingEffort: "low" }, "-c model_reasoning_effort=low --ephemeral -"],
  ["codex", { approvalMode: "yolo" }, "--dangerously-bypass-approvals-and-sandbox"],
  ["gemini", { sessionId: "s", approvalMode: "yolo" }, "--resume s --approval-mode yolo"],
  ["copilot", { sessionId: "s", approvalMode: "yolo" }, "--resume=s --allow-all-tools"],
  ["cursor", { sessionId: "s", approvalMode: "yolo" }, "--resume s --force"],
  ["opencode", { forkSessionId: "s", thinkingEffort: "max" }, "--variant max --session s --fork"],
  ["opencode", { sessionId: "s", approvalMode: "yolo" }, "--session s --auto"],
  ["pi", { forkSessionId: "s", thinkingEffort: "high" }, "--thinking high --fork s"],
  ["pi", { sessionId: "s", systemPrompt: "Be brief." }, "--session s --append-system-prompt Be brief."],
  ["omp", { sessionId: "s", approvalMode: "yolo" }, "--resume s --auto-approve"],
  ["openclaw", { sessionId: "s", model: "m" }, "agent --json --session-id s --model m"],
  ["cn", { forkSessionId: "s", approvalMode: "yolo" }, "-p --fork s --auto"],
  ["kimi", { sessionId: "s", model: "m", approvalMode: "yolo" }, "-m m --session s --prompt="],
  ["qwen", { forkSessionId: "s", noSession: false }, "--resume s --fork-session"],
  ["grok", { systemPrompt: "- Be terse" }, "--rules=- Be terse"],
  ["qwen", { systemPrompt: "- Be terse" }, "--append-system-prompt=- Be terse"],
  ["qwen", { noSession: true, maxTurns: 3, approvalMode: "yolo" }, "--no-chat-recording --max-session-turns 3"],
  ["droid", { sessionId: "s", model: "m" }, "-m m -s s -f"],
  ["droid", { forkSessionId: "s", approvalMode: "yolo" }, "--fork s --skip-permissions-unsafe"],
  ["grok", { sessionId: "s", maxTurns: 3, approvalMode: "yolo" }, "--max-turns 3 --always-approve --resume s"],
  ["grok", { forkSessionId: "s" }, "--resume s --fork-session --session-id"],
  ["hermes", { sessionId: "s", maxTurns: 3, approvalMode: "yolo" }, "--resume s --max-turns 3 --yolo"],
] as [string, Partial<RunOptions>, string][])("%s with %j", (name, options, expected) => {
  it("is started with the expected command", async () => {
    expect(prepare(await registry.get(name), options).args.join(" ")).toContain(expected);
  });
});

describe("an unsupported option", () => {
  it.each([
    ["cursor", { forkSessionId: "s" }, "The Cursor CLI has no forks."],
    ["copilot", { noSession: true }, "Copilot saves every session."],
    ["pi", { approvalMode: "deny" }, "Pi asks for no approval: it runs every tool, and cannot be told to refuse."],
    ["codex", { maxTurns: 2 }, "Codex does not report single model calls, so they cannot be limited."],
    ["openclaw", { approvalMode: "yolo" }, "What OpenClaw may do is set in its own configuration."],
    ["claude", { skills: ["x"] }, "Claude Code cannot honour skills when it runs without a terminal."],
    [
      "hermes",
      { systemPrompt: "x", systemPromptMode: "replace" },
      "Hermes Agent cannot honour systemPrompt when it runs without a terminal.",
    ],
    [
      "claude",
      { attachments: [{ url: "https://x.example/a.png" }] },
      "Claude Code takes files from this machine only, not https://x.example/a.png.",
    ],
  ] as [string, Partial<RunOptions>, string][])("%s is refused for %j", async (name, options, message) => {
    const adapter = await registry.get(name);
    expect(() => prepare(adapter, options)).toThrow(
      expect.objectContaining({ code: "CAPABILITY_ERROR", message }) as Error,
    );
  });

  it("is refused or reported for every option and every agent, never ignored", async () => {
    const asked: Partial<RunOptions>[] = [
      { temperature: 1 },
      { topP: 1 },
      { topK: 1 },
      { maxTokens: 1 },
      { agentsDoc: "x" },
      { thinkingOverride: { a: 1 } },
    ];
    for (const name of registry.names()) {
      const adapter = await registry.get(name);
      for (const options of asked)
        expect(() => prepare(adapter, options), `${name} ${JSON.stringify(options)}`).toThrow();
    }
  });

  it.each([
    ["codex", { systemPrompt: "Be brief." }, "systemPrompt"],
    ["codex", { stream: true }, "stream"],
    ["codex", { thinkingEffort: "max" }, "thinkingEffort"],
    ["gemini", { approvalMode: "prompt" }, "approvals"],
    ["qwen", { systemPrompt: "Be brief.", systemPromptMode: "prepend" }, "systemPrompt"],
    ["hermes", {}, "events"],
  ] as [string, Partial<RunOptions>, string][])("%s reports its fallback for %j", async (name, options, capability) => {
    const { fallbacks } = prepare(await registry.get(name), options);
    expect(fallbacks.map((fallback) => fallback.capability)).toContain(capability);
  });

  it("puts a system prompt first where there is no option for it", async () => {
    expect(prepare(await registry.get("codex"), { systemPrompt: "Be brief." }).stdin).toBe("Be brief.\n\n-Fix it");
  });
});

describe("attachments", () => {
  it.each(["gemini", "qwen"])("of %s are named so that their names do not end early", async (name) => {
    const filePath = tempHome().write("a (1),[b].png", "x");
    const { stdin } = prepare(await registry.get(name), { attachments: [{ filePath }] });
    expect(stdin).toMatch(/\/a\\ \\\(1\\\)\\,\\\[b\\\]\.png$/);
  });

  it("are images if the agent accepts images, and names otherwise", async () => {
    const home = tempHome();
    const attachments = [{ filePath: home.write("a.png", "x") }, { filePath: home.write("notes.txt", "x") }];
    const codex = prepare(await registry.get("codex"), { attachments });
    expect(codex.args).toContain(`--image=${attachments[0]!.filePath}`);
    expect(codex.stdin).toBe(`-Fix it\n\nAttached files:\n${attachments[1]!.filePath}`);
    expect(codex.fallbacks).toMatchObject([{ capability: "attachments" }]);
    const claude = JSON.parse(prepare(await registry.get("claude"), { attachments }).stdin!) as {
      message: { content: unknown };
    };
    expect(claude.message.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "eA==" } },
      { type: "text", text: `-Fix it\n\n@${attachments[1]!.filePath}` },
    ]);
  });

  it("must exist", async () => {
    const adapter = await registry.get("pi");
    expect(() => prepare(adapter, { attachments: [{ filePath: "/nonexistent/x" }] })).toThrow(
      "attachments names x, which is not a file",
    );
  });
});
