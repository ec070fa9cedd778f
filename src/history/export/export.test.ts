import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { Session, SessionMessage, SessionSummary } from "../../core/session.ts";
import { clientOf, madeAgent, tokens, usage, type MadeSession } from "../../../test/support/made-agent.ts";
import { knownFacts } from "./json.ts";
import { EXPORT_FORMATS, exportSession, type ExportFormat } from "./export.ts";
import type { ExportOptions } from "./options.ts";

const HOSTILE = "````\n</script><img src=x onerror=\"alert(1)\"> \u001b]0;owned\u0007\u001b[2J\u202eback & 'forth'\0";

const MESSAGES: SessionMessage[] = [
  { role: "user", content: "What is `this`?", timestamp: new Date("2026-06-01T12:00:00Z") },
  {
    role: "assistant",
    content: "Let me look.",
    thinking: HOSTILE,
    model: "made-model",
    toolCalls: [{ toolCallId: "t1", toolName: "run <b>", input: { command: HOSTILE }, durationMs: 1500 }],
    tokenUsage: { inputTokens: 1000, outputTokens: 0 },
  },
  { role: "tool", content: HOSTILE, toolResult: { toolCallId: "t1", toolName: "run", output: HOSTILE, isError: true } },
  { role: "system", content: "The context was compacted." },
];

const SUMMARY = { unifiedId: "made:s", title: "x" } as SessionSummary;

async function text(
  format: ExportFormat,
  session: Partial<MadeSession> = {},
  options?: ExportOptions,
): Promise<string> {
  const { sessions } = clientOf(tempHome().path, madeAgent("made", [{ id: "s", messages: MESSAGES, ...session }]));
  return [...(await sessions.exportStream("made", "s", format, options))].join("");
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("JSON", () => {
  it("is the session with dates as ISO 8601 and nothing lost", async () => {
    const session = JSON.parse(await text("json")) as Session;
    expect(session).toMatchObject({ unifiedId: "made:s", messageCount: 4, turnCount: 1, tags: [] });
    expect(session.messages.map((message) => message.content)).toEqual(MESSAGES.map((message) => message.content));
    expect(session.messages[0]!.timestamp).toBe("2026-06-01T12:00:00.000Z");
    expect(session.messages[1]).toMatchObject({ thinking: HOSTILE, toolCalls: MESSAGES[1]!.toolCalls });
    expect(session).not.toHaveProperty("raw");
    expect(session).not.toHaveProperty("partial");
  });

  it("does not write 0 for what is unknown", async () => {
    expect(JSON.parse(await text("json", { head: { usageUnknown: true } }))).not.toHaveProperty("cost");
    const hit = { ...SUMMARY, partial: true, turnCount: 0, messageCount: 0 };
    expect(knownFacts(hit)).toEqual({ ...SUMMARY, partial: true });
  });

  it("has the agent's own records on demand", async () => {
    expect(JSON.parse(await text("json", {}, { raw: true }))).toMatchObject({ raw: { id: "s" } });
  });

  it.each([[0], [1], [3], [99]])("with a limit of %i is still complete JSON", async (limit) => {
    const { messages } = JSON.parse(await text("json", {}, { limit })) as Session;
    expect(messages).toHaveLength(Math.min(limit, 4));
  });

  it("of a session without messages is complete JSON too", async () => {
    expect(JSON.parse(await text("json", { messages: [] }))).toMatchObject({ messages: [] });
  });
});

describe("JSONL", () => {
  it("is a header line, then a line for each message", async () => {
    const lines = (await text("jsonl")).split("\n");
    expect(lines.pop()).toBe("");
    const [header, ...messages] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(header).toMatchObject({ type: "session", unifiedId: "made:s", messageCount: 4 });
    expect(messages.map((message) => message["role"])).toEqual(["user", "assistant", "tool", "system"]);
    expect(messages[2]!["content"]).toBe(HOSTILE);
  });
});

describe("Markdown", () => {
  it("has facts, a heading for each message, folded thinking, fenced tools, the cost", async () => {
    const markdown = await text("markdown", { usage: [usage("a", { reportedMicroUsd: 2_500_000 })] });
    expect(markdown).toMatch(/^# title of s\n\n- \*\*Session:\*\* made:s\n/);
    for (const heading of [
      "### User #0 — 2026-06-01T12:00:00.000Z",
      "### Assistant #1",
      "### Tool #2 — run · failed",
      "### System #3",
    ])
      expect(markdown).toContain(`\n${heading}\n`);
    expect(markdown).toContain("<details>\n<summary>Thinking</summary>");
    expect(markdown).toContain(String.raw`**Tool call: run \<b\>** (1.5 s)`);
    expect(markdown).toMatch(/## Cost\n\n- \*\*Total:\*\* \$2\.5000 \(reported\)\n/);
  });

  it("fences what contains fences so that it cannot break out", async () => {
    const markdown = await text("markdown");
    const opened = [...markdown.matchAll(/^(`{3,})(\w*)$/gm)];
    expect(opened.filter(([, fence]) => fence!.length === 5)).toHaveLength(6);
    let open: string | undefined;
    const outside: string[] = [];
    for (const line of markdown.split("\n")) {
      const fence = /^(`{3,})\w*$/.exec(line)?.[1];
      if (open === undefined && fence !== undefined) open = fence;
      else if (open !== undefined && line === open) open = undefined;
      else if (open === undefined) outside.push(line);
    }
    expect(open).toBeUndefined();
    expect(outside.join("\n")).not.toContain("onerror");
  });

  it("says how much a limit left out", async () => {
    expect(await text("markdown", {}, { limit: 1 })).toContain("*… 3 more messages*");
  });

  it("escapes titles", async () => {
    const markdown = await text("markdown", { head: { title: "# <b>*x*</b> [a](b)" } });
    expect(markdown.split("\n")[0]).toBe(String.raw`# \# \<b\>\*x\*\</b\> \[a\](b)`);
  });
});

describe("HTML", () => {
  it("is one page without scripts or outside resources, everything escaped", async () => {
    const page = await text("html", { head: { title: `</title>${HOSTILE}` } });
    expect(page).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<(?:script|img|link|iframe)|https?:|onerror="/);
    expect(page).toContain("&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
    expect([...page.matchAll(/<article class="(\w+)" id="(m\d)">/g)].map((match) => `${match[2]} ${match[1]}`)).toEqual(
      ["m0 user", "m1 assistant", "m2 tool", "m3 system"],
    );
  });

  it("closes what it opens", async () => {
    const page = await text("html");
    for (const tag of ["article", "details", "summary", "pre", "main", "header", "dl", "body"]) {
      const opened = [...page.matchAll(new RegExp(`<${tag}[ >]`, "g"))].length;
      expect([tag, opened]).toEqual([tag, [...page.matchAll(new RegExp(`</${tag}>`, "g"))].length]);
    }
  });
});

describe.each(EXPORT_FORMATS)("an export as %s", (format) => {
  it("lets no control character of a message through to a terminal", async () => {
    expect((await text(format, { head: { title: HOSTILE, cwd: HOSTILE } })).replaceAll("\n", "")).not.toMatch(CONTROLS);
  });

  it("is the same in one piece and as a stream", async () => {
    const { sessions } = clientOf(tempHome().path, madeAgent("made", [{ id: "s", messages: MESSAGES }]));
    expect(await sessions.export("made", "s", format)).toBe(
      [...(await sessions.exportStream("made", "s", format))].join(""),
    );
  });

  it("of 10,000 messages is written as they are read, never held", async () => {
    let read = 0;
    function* messages(): Generator<SessionMessage> {
      for (; read < 10_000; read++) yield { role: "user", content: `message ${read}` };
    }
    const at = new Date();
    const summary = { agent: "made", sessionId: "s", unifiedId: "made:s", title: "t", createdAt: at, updatedAt: at };
    const view = {
      summary: { ...summary, turnCount: 0, messageCount: 10_000, tags: [] },
      source: { sessionId: "s", path: "", files: [], updatedMs: 0 },
      messages,
      subagents: () => [],
      raw: () => undefined,
    };
    let most = 0;
    let pieces = 0;
    let behind = 0;
    for (const piece of exportSession(view, format)) {
      most = Math.max(most, piece.length);
      pieces++;
      behind = Math.max(behind, read - pieces);
    }
    expect(read).toBe(10_000);
    expect(most).toBeLessThan(5000);
    expect(behind).toBeLessThan(10);
  });
});

describe("a message", () => {
  it("has the cost of its request, inherited ones included", async () => {
    const home = tempHome();
    home.write(".agent-mux/prices.json", JSON.stringify({ "made-model": { input: 3, output: 15 } }));
    const at = new Date("2026-06-01T12:00:00Z");
    const tokenUsage = { inputTokens: 1000, outputTokens: 0 };
    const { sessions } = clientOf(
      home.path,
      madeAgent("made", [
        {
          id: "s",
          messages: [
            { role: "assistant", content: "reported", timestamp: at, tokenUsage, model: "made-model" },
            { role: "assistant", content: "computed", tokenUsage, model: "made-model" },
            { role: "assistant", content: "unpriced", tokenUsage, model: "nobody-knows-9" },
          ],
          usage: [usage("a", { reportedMicroUsd: 7e6, tokens: tokens({ input: 1000 }) })],
        },
      ]),
    );
    const { messages } = await sessions.get("made", "s");
    expect(messages.map(({ cost }) => [cost?.totalUsd, cost?.kind])).toEqual([
      [7, "reported"],
      [0.003, "computed"],
      [0, "unpriced"],
    ]);
  });
});
