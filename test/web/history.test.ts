/** Agents' history in the browser. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import { screenText, stage, untilScreen, visit } from "./support/browser.ts";
import { asked, replied, writeConversation, writePiConversation } from "./support/conversation.ts";
import { pathWithFakeAgents } from "./support/fake-agent.ts";

interface Summary {
  agent: string;
  unifiedId: string;
  title: string;
  messageCount: number;
  forkedFrom?: string;
}

interface Message {
  role: string;
  content: string;
  toolCalls?: { toolCallId: string }[];
}

const LONG_ID = "11111111-2222-4333-8444-555555555555";
const LONG_MESSAGES = 5000;

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SHORT_ID = "22222222-2222-4333-8444-555555555555";
const LINK_ID = "0198a3c4-3333-7333-8444-555555555555";
const PI_ID = "0198a3c4-2222-7333-8444-555555555555";
const ODD_ID = "0198a3c4-5555-7333-8444-555555555555";
const ODD = "begin\u001b]0;x\u0007 \u202egnp.exe\u2066 end";
const PAGES_ID = "0198a3c4-4444-7333-8444-555555555555";

const at = stage({ prepare: writeConversations, vars: { PATH: pathWithFakeAgents() } });
let page: Page;
let all: Summary[];

beforeAll(async () => {
  page = await at.open();
  all = await at.demo.ask<Summary[]>("GET", "/v1/history?limit=500");
});

/** Short ones in an existing folder: with pictures, and of an agent that forks at a message. */
function writeConversations(home: string): void {
  const cwd = join(home, "dev/talk");
  mkdirSync(cwd, { recursive: true });
  const source = { type: "base64", media_type: "image/png", data: PNG };
  writeConversation(home, SHORT_ID, cwd, [
    asked([
      { type: "text", text: "What is on the picture?" },
      { type: "image", source },
    ]),
    replied({ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "shot.png" } }),
    asked([{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "image", source }] }]),
    replied({ type: "text", text: "A sail." }),
  ]);
  writeConversation(home, ODD_ID, join(home, "dev/odd\u202edir"), [
    asked(ODD),
    replied({ type: "tool_use", id: "toolu_9", name: "Bash", input: { command: `echo ${ODD}` } }),
    asked([{ type: "tool_result", tool_use_id: "toolu_9", content: `first\r\nsecond ${ODD}` }]),
    replied({ type: "text", text: `Said **${ODD}** in \`${ODD}\`` }),
  ]);
  writePiConversation(home, LINK_ID, cwd, ["Where?", "See [the catalogue](https://sails.example/all)."]);
  const memories = join(home, ".hermes/memories");
  mkdirSync(memories, { recursive: true });
  writeFileSync(join(memories, "MEMORY.md"), "The harbour is north of the mill.\n§\nSails are dried on Sundays.\n");
  writePiConversation(home, PI_ID, cwd, ["Name a colour.", "Blue.", "Name another.", "Green."]);
  const lines = Array.from({ length: 120 }, (_, index) => `Line ${index} of many.`);
  writePiConversation(home, PAGES_ID, cwd, lines);
}

/** Longer than any recorded one, with a message that contains markup. */
function writeLongConversation(home: string): void {
  const evil = "<img src=x onerror=alert(1)> [x](javascript:alert(2)) <script>alert(3)</script>";
  const long = Array.from({ length: LONG_MESSAGES }, (_, index) => {
    const text = index === 0 ? `Long talk ${evil}` : `message number ${index}`;
    return index % 2 === 0 ? asked(text) : replied({ type: "text", text });
  });
  writeConversation(home, LONG_ID, "/tmp/long", long);
}

describe("transcripts", () => {
  it("are shown for every agent", async () => {
    const agents = [...new Set(all.map(({ agent }) => agent))];
    expect(agents.length).toBeGreaterThanOrEqual(10);
    for (const agent of agents) {
      const fullest = all.filter((row) => row.agent === agent);
      const { unifiedId, title } = fullest.sort((a, b) => b.messageCount - a.messageCount)[0]!;
      const { messages } = await at.demo.ask<{ messages: { role: string; content: string }[] }>(
        "GET",
        `/v1/history/${encodeURIComponent(unifiedId)}?limit=1`,
      );
      await visit(page, `/t/${encodeURIComponent(unifiedId)}`);
      await page.locator(".view-title h1", { hasText: title.slice(0, 30) }).waitFor();
      const first = page.locator(`[data-index="0"] .message.${messages[0]!.role}`);
      await first.waitFor();
      const words = messages[0]!.content.split(/[\s`*#>|]+/).filter((word) => /^\w{3,}$/.test(word));
      expect((await first.textContent()) ?? "", agent).toContain(words[0] ?? "");
    }
  });

  it("show edits as diffs, tools with what they did, and fold long output", async () => {
    const edited = all.find(({ agent, title }) => agent === "claude" && title.includes("health route"))!;
    await visit(page, `/t/${encodeURIComponent(edited.unifiedId)}`);
    await page.locator(".diff .line-added").first().waitFor();
    expect(await page.locator(".diff .line-added").first().textContent()).toContain("+");
    await page.locator(".fold.thinking > summary").first().click();
    await page.locator(".fold.thinking[open]").first().waitFor();
  });
});

/** The conversation is sent as lines: facts, then messages. The page gets two of them until the rest is released. */
const HOLD_ALL_BUT_THE_FIRST_MESSAGE = `
  const fetched = window.fetch;
  window.releaseFetch = () => { window.fetch = fetched; };
  const released = new Promise((resolve) => { window.releaseMessages = resolve; });
  window.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    if (!String(asked[0]).includes("format=jsonl")) return answer;
    const text = await answer.text();
    const second = text.indexOf("\\n", text.indexOf("\\n") + 1) + 1;
    const bytes = (part) => new TextEncoder().encode(part);
    return new Response(new ReadableStream({
      async start(body) {
        body.enqueue(bytes(text.slice(0, second)));
        await released;
        body.enqueue(bytes(text.slice(second)));
        body.close();
      },
    }));
  };
`;

describe("a conversation that was just opened", () => {
  const scrolled = (): Promise<number> => page.locator(".virtual").evaluate(({ scrollTop }) => scrollTop);

  it("can be read by keys even if nothing in it has the focus", async () => {
    await visit(page, `/t/pi:${PAGES_ID}`);
    await page.locator('[data-index="0"]').waitFor();
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("End");
    await page.locator('[data-index="119"]').waitFor();
    await page.keyboard.press("Home");
    await page.locator('[data-index="0"]').waitFor();
    expect(await scrolled()).toBe(0);
    await page.keyboard.press("PageDown");
    await expect.poll(scrolled).toBeGreaterThan(100);
    await page.keyboard.press("PageUp");
    await expect.poll(scrolled).toBe(0);
    // Keys go to a field while it has the focus.
    await page.locator("#filter").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("PageDown");
    expect(await scrolled()).toBe(0);
  });

  it("stays at its end if End was pressed before all of it had come", async () => {
    await visit(page, "/overview");
    await page.evaluate(HOLD_ALL_BUT_THE_FIRST_MESSAGE);
    await visit(page, `/t/pi:${PAGES_ID}`);
    await page.locator('[data-index="0"]').waitFor();
    expect(await page.locator("[data-index]").count()).toBe(1);
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("End");
    await page.evaluate("releaseMessages()");
    await page.locator('[data-index="119"]').waitFor();
    await page.evaluate("releaseFetch()");
  });
});

describe("the content of a conversation", () => {
  /** The index of the first message for which the test holds. */
  async function indexWhere(unifiedId: string, test: (message: Message) => boolean): Promise<number> {
    const { messages } = await at.demo.ask<{ messages: Message[] }>(
      "GET",
      `/v1/history/${encodeURIComponent(unifiedId)}`,
    );
    return messages.findIndex(test);
  }

  it("shows control and bidirectional characters visibly; the API returns them unchanged", async () => {
    await visit(page, `/t/claude:${ODD_ID}`);
    const shown = "begin\\u001b]0;x\\u0007 \\u202egnp.exe\\u2066 end";
    await page.locator('[data-index="0"] .message', { hasText: shown }).waitFor();
    await page.locator(".message.assistant strong", { hasText: shown }).waitFor();
    await page.evaluate('document.querySelectorAll(".message details").forEach((fold) => (fold.open = true))');
    await page.locator(".message", { hasText: `second ${shown}` }).waitFor();
    const hidden = async (): Promise<string[]> => {
      const all = await page.evaluate(
        `[document.title, document.body.textContent, ...[...document.querySelectorAll("[title],[aria-label]")]
          .flatMap((element) => [element.title, element.ariaLabel ?? ""])]`,
      );
      return (all as string[]).flatMap(
        (text) => text.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/g) ?? [],
      );
    };
    expect(await hidden()).toEqual([]);
    await visit(page, "/search?q=gnp");
    await page.locator("mark", { hasText: "gnp" }).first().waitFor();
    expect(await hidden()).toEqual([]);
    const { messages } = await at.demo.ask<{ messages: { content: string }[] }>(
      "GET",
      `/v1/history/claude:${ODD_ID}?limit=1`,
    );
    expect(messages[0]!.content).toBe(ODD);
  });

  it("shows files given with a prompt by their name, not as tags", async () => {
    const { unifiedId } = all.find(({ agent, title }) => agent === "pi" && title.includes("What colour is this"))!;
    await visit(page, `/t/${encodeURIComponent(unifiedId)}`);
    const prompt = page.locator(".message.user", { hasText: "What colour is this picture?" });
    await prompt.getByText("Attached:").waitFor();
    expect(await prompt.textContent()).not.toContain("<file");
  });

  it("is shown with its pictures", async () => {
    await visit(page, `/t/claude:${SHORT_ID}`);
    await page.locator(".message.user img.shot").waitFor();
    await page.locator(".message.tool img.shot").waitFor();
    const widths = `[...document.querySelectorAll("img.shot")].map(({ naturalWidth }) => naturalWidth)`;
    await expect.poll(() => page.evaluate(widths)).toEqual([1, 1]);
  });

  it("is shown with its sub-agents, where they were called", async () => {
    for (const { unifiedId } of all.filter(({ agent }) => agent === "claude")) {
      const { subagents = [] } = await at.demo.ask<{
        subagents?: { toolCallId?: string; label?: string; id: string }[];
      }>("GET", `/v1/history/${encodeURIComponent(unifiedId)}?limit=0`);
      const helper = subagents.find(({ toolCallId }) => toolCallId !== undefined);
      if (helper === undefined) continue;
      const index = await indexWhere(unifiedId, ({ toolCalls = [] }) =>
        toolCalls.some(({ toolCallId }) => toolCallId === helper.toolCallId),
      );
      await visit(page, `/t/${encodeURIComponent(unifiedId)}#m${index}`);
      const nested = page.locator(`[data-index="${index}"] .tool .helper`).first();
      await nested.locator("summary").first().click();
      await nested.locator(".message").first().waitFor();
      return;
    }
    throw new Error("No recorded conversation has a helper that was called by a tool.");
  });

  it("links a sub-agent that has a session of its own", async () => {
    const isDelegated = ({ role, content }: Message): boolean => role === "tool" && content.includes("<task id=");
    for (const { unifiedId } of all.filter(({ agent }) => agent === "opencode")) {
      const index = await indexWhere(unifiedId, isDelegated);
      if (index < 0) continue;
      await visit(page, `/t/${encodeURIComponent(unifiedId)}#m${index}`);
      await page.getByRole("link", { name: "Sub-agent's session" }).first().click();
      await page.waitForURL(/\/t\/opencode%3Ases_/);
      await page.locator(".message.user").first().waitFor();
      return;
    }
    throw new Error("No recorded session delegates.");
  });

  it("is exported in the requested format", async () => {
    const { unifiedId, title } = all.find(
      ({ agent, title: words }) => agent === "claude" && words.includes("health route"),
    )!;
    await visit(page, `/t/${encodeURIComponent(unifiedId)}`);
    await page.locator(".transcript").getByLabel("Actions").click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export as Markdown" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^claude-.*\.md$/);
    expect(readFileSync(await file.path(), "utf8")).toContain(title.slice(0, 20));
    await page.keyboard.press("Escape");
    expect(await page.locator("details.menu[open]").count()).toBe(0);
  });
});

describe("a conversation that continues", () => {
  it("is resumed from its transcript, followed there as it grows, and forked", async () => {
    await visit(page, `/t/claude:${SHORT_ID}`);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.waitForURL(/\/s\/sess-/);
    await untilScreen(page, new RegExp(`fake resumed ${SHORT_ID}`));
    await page.keyboard.type("and what about the tests?\n");
    await untilScreen(page, /answered in/);
    await page.locator(".view-actions").getByRole("link", { name: "Transcript" }).click();
    await page.getByText("answer to and what about the tests?").waitFor();
    // At its end, and staying there while it grows.
    await page.getByRole("button", { name: "Follow", pressed: true }).waitFor();
    const id = (await page.getByRole("link", { name: "Terminal" }).getAttribute("href"))!.slice("/s/".length);
    await at.demo.ask("POST", `/v1/sessions/${id}/message`, { text: "one more thing" });
    await page.getByText("answer to one more thing").waitFor();
    await page.locator(".transcript").getByLabel("Actions").click();
    await page.getByRole("button", { name: /^Fork session/ }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/s/sess-") && !url.pathname.includes(id));
    await untilScreen(page, /fake forked/);
  });
});

describe("an address in a conversation", () => {
  it("opens in a tab without access to this page", async () => {
    await page.context().route("https://sails.example/**", (route) => route.fulfill({ body: "sails" }));
    await visit(page, `/t/pi:${LINK_ID}`);
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "the catalogue" }).click(),
    ]);
    await tab.waitForURL("https://sails.example/all");
    expect(await tab.evaluate("[window.opener, document.referrer]")).toEqual([null, ""]);
    await tab.close();
  });
});

describe("a fork", () => {
  const goOn = async (index: number): Promise<void> => {
    const message = page.locator(`[data-index="${index}"]`);
    await message.hover();
    await message.getByRole("button", { name: "Continue from here" }).click();
  };

  it("begins at the chosen message, in a copy for the agent", async () => {
    await visit(page, `/t/pi:${PI_ID}`);
    await goOn(1);
    await page.getByRole("button", { name: /^Fork from here/ }).click();
    await page.waitForURL(/\/s\/sess-/);
    await untilScreen(page, /fake pi forks:[\s\S]*Blue/);
    expect(await screenText(page)).not.toContain("another");
    // A prompt can be edited: what came before it is kept.
    await visit(page, `/t/pi:${PI_ID}`);
    await goOn(2);
    await page.getByRole("button", { name: /^Fork from here.*ask something else/ }).click();
    await untilScreen(page, /fake pi forks:[\s\S]*Blue/);
    expect(await screenText(page)).not.toContain("another");
  });

  it("begins at a message in its own session beside the original", async () => {
    const path = `/v1/history/claude:${SHORT_ID}`;
    const before = await at.demo.ask<{ messages: object[] }>("GET", path);
    await visit(page, `/t/claude:${SHORT_ID}`);
    // A call and its result offer the same fork.
    await goOn(1);
    await page.getByRole("button", { name: /^Fork from here/ }).click();
    await page.waitForURL(/\/s\/sess-/);
    await untilScreen(page, /fake resumed [\w-]+/);
    const copy = /fake resumed ([\w-]+)/.exec(await screenText(page))![1]!;
    expect(copy).not.toBe(SHORT_ID);
    await page.keyboard.type("what else?\n");
    await untilScreen(page, /answered in/);
    await page.locator(".view-actions").getByRole("link", { name: "Transcript" }).click();
    await page.waitForURL(new RegExp(copy));
    await page.getByText("answer to what else?").waitFor();
    const { messages } = await at.demo.ask<{ messages: { role: string }[] }>("GET", `/v1/history/claude:${copy}`);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect((await at.demo.ask<{ messages: object[] }>("GET", path)).messages).toEqual(before.messages);
  });

  it("is a resume at the end of the conversation, and not offered before the first answer", async () => {
    await visit(page, `/t/pi:${PI_ID}`);
    await goOn(3);
    await page.getByRole("button", { name: /^Resume from here/ }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".go-on").count()).toBe(0);
    await goOn(0);
    await page.getByRole("button", { name: /^Fork from here.*start a new session/, disabled: true }).waitFor();
    await page.getByRole("button", { name: /^Resume Continue the session from its end/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("is not offered where the agent cannot, and the menu says why", async () => {
    const { unifiedId } = all.find(({ agent }) => agent === "hermes")!;
    await visit(page, `/t/${encodeURIComponent(unifiedId)}`);
    await page.locator(".transcript").getByLabel("Actions").click();
    await page.getByRole("button", { name: "Hermes Agent cannot fork a conversation", disabled: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator('[data-index="1"] .go-on-here').click();
    await page.getByRole("button", { name: /^Fork from here.*only it may write to/, disabled: true }).waitFor();
    await page.keyboard.press("Escape");
  });
});

describe("search", () => {
  it("finds results while typing, narrows them, and opens the place by keys", async () => {
    await visit(page, "/search");
    await page.getByLabel("Search", { exact: true }).waitFor();
    await page.keyboard.type("health route");
    // The first search reads everything.
    await page.locator(".hit mark").first().waitFor();
    await page.locator(".facets .facet span").first().waitFor();
    // With long model names, the counts stay beside the hits.
    const beyond = await page.locator(".facets").evaluate((column) => {
      const name = column.querySelector(".facet span")!;
      const before = name.textContent;
      name.textContent = "a-model-with-a-long-name-".repeat(4);
      const edges = [...column.querySelectorAll(".facet, .count")].map((one) => one.getBoundingClientRect().right);
      name.textContent = before;
      return Math.max(...edges) - column.getBoundingClientRect().right;
    });
    expect(beyond).toBeLessThanOrEqual(0);
    await page
      .locator(".facets")
      .getByRole("button", { name: /^codex/ })
      .click();
    await expect.poll(() => page.locator(".hit .agent").allTextContents()).toEqual(["codex"]);
    await page.getByLabel("Search", { exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/t\/codex/);
    await page.locator(".message.marked").waitFor();
  });

  it("opens an agent's memory, which cannot be resumed", async () => {
    await visit(page, `/search?q=${encodeURIComponent("sails dried")}`);
    const note = page.locator(".hit-main", { hasText: "Memory note" });
    await note.waitFor();
    await note.click();
    await page.waitForURL(/\/t\/hermes/);
    await page.locator(".message", { hasText: "Sails are dried on Sundays." }).waitFor();
    const actions = page.locator("article.transcript").getByRole("button", { name: /Resume|fork|Go on/i });
    expect(await actions.count()).toBe(0);
  });

  it("keeps its filters in the address, and every agent can be picked", async () => {
    await visit(page, "/search?q=the");
    const agents = page.locator(".facets fieldset", { hasText: "Agent" });
    await agents.getByRole("button", { name: /more$/ }).click();
    const found = await agents.locator(".facet").count();
    expect(found).toBeGreaterThan(8);
    await agents.getByRole("button", { name: /^codex/ }).click();
    await page.waitForURL(/agent=codex/);
    await page.reload();
    await expect.poll(async () => [...new Set(await page.locator(".hit .agent").allTextContents())]).toEqual(["codex"]);
  });

  it("says what is wrong with a query", async () => {
    await visit(page, `/search?q=${encodeURIComponent("before:never")}`);
    await page.locator(".search [role=status]", { hasText: /date/i }).waitFor();
  });
});

describe("compare", () => {
  it("shows a fork beside its origin", async () => {
    const fork = all.find(({ agent, forkedFrom }) => agent === "codex" && forkedFrom !== undefined)!;
    const parent = `codex:${fork.forkedFrom}`;
    const { stats } = await at.demo.ask<{ stats: { removals: number; additions: number; modifications: number } }>(
      "GET",
      `/v1/history/diff?a=${encodeURIComponent(parent)}&b=${encodeURIComponent(fork.unifiedId)}`,
    );
    await visit(page, `/compare?a=${encodeURIComponent(parent)}&b=${encodeURIComponent(fork.unifiedId)}`);
    await page.locator(".pair").first().waitFor();
    const said = await page.locator(".stats").textContent();
    expect(said).toContain(`−${stats.removals}`);
    expect(said).toContain(`+${stats.additions}`);
    expect(said).toContain(`~${stats.modifications}`);
  });
});

describe("cost", () => {
  it("adds up to what the command line says, names unknown costs, and opens down to requests", async () => {
    const summary = await at.demo.ask<{ totalUsd: number; requestCount: number }>("GET", "/v1/cost");
    await visit(page, "/cost");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByText(`${summary.requestCount.toLocaleString("en-US")} requests in`).waitFor();
    expect(await page.locator(".total strong").textContent()).toBe(`≥ $${summary.totalUsd.toFixed(2)}`);
    await page.locator(".kinds .unknown", { hasText: "no usage data" }).waitFor();
    await page.locator(".plot-bar").first().waitFor();
    await page.locator(".cost-table").getByRole("button", { name: "pi", exact: true }).click();
    await page.locator("dialog .cost-table tbody tr").first().waitFor();
    await page.keyboard.press("Escape");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("amux-cost-by-agent.csv");
  });
});

describe("the overview and the drawer", () => {
  it("show recent sessions and find them by name", async () => {
    await visit(page, "/overview");
    await page.locator(".recent li").first().waitFor();
    await page.locator(".heat [class^=level]:not(.level-0)").first().waitFor();
    await page.getByRole("button", { name: /History/ }).click();
    await page.getByLabel("Search previous sessions").fill("health route");
    await expect.poll(() => page.locator(".drawer .row").count()).toBeGreaterThan(0);
    const row = page.locator(".drawer .row").first();
    const id = (await row.getAttribute("data-session"))!;
    await row.locator(".row-main").click();
    await page.locator("article.transcript").waitFor();
    await row.hover();
    await row.getByRole("button", { name: "Resume" }).waitFor();
    await row.getByRole("button", { name: "Dismiss" }).click();
    await page.locator(`.drawer [data-session="${id}"]`).waitFor({ state: "detached" });
  });

  it("count archived sessions, and list them on request", async () => {
    const sessions = await at.demo.ask<MuxSession[]>("GET", "/v1/sessions");
    const archived = sessions.filter((session) => session.archived === true);
    const { id, title } = archived[0]!;
    await visit(page, "/overview");
    const head = page.getByRole("button", { name: /History/ });
    if ((await head.getAttribute("aria-expanded")) === "false") await head.click();
    await page.getByLabel("Search previous sessions").fill(title);
    const row = page.locator(`.drawer [data-session="${id}"]`);
    const toggle = page.getByRole("button", { name: `Show ${archived.length} archived` });
    await toggle.waitFor();
    expect(await row.count()).toBe(0);
    await toggle.click();
    await row.waitFor();
    await page.getByRole("button", { name: "Hide archived" }).click();
    await row.waitFor({ state: "detached" });
  });
});

// Last, and written only now: other requests wait while so much is read.
describe("thousands of messages", () => {
  it("are kept as text, drawn where they are visible, and can be linked", async () => {
    writeLongConversation(at.demo.home);
    const path = `/t/${encodeURIComponent(`claude:${LONG_ID}`)}`;
    await visit(page, path);
    const counted = page.getByText(`${LONG_MESSAGES.toLocaleString("en-US")} messages`);
    await counted.waitFor();
    // Markup in a message is shown as text.
    expect(await page.locator('[data-index="0"]').textContent()).toContain("<script>alert(3)</script>");
    expect(await page.locator(".message img, .message script, .message a[href^=javascript]").count()).toBe(0);
    await visit(page, `${path}#m3321`);
    await page.locator('[data-index="3321"] .message.marked').waitFor();
    expect(await page.locator('[data-index="3321"]').textContent()).toContain("message number 3321");
    await page.getByRole("button", { name: "Next prompt" }).click();
    await page.locator('[data-index="3322"]').waitFor();
    await page.locator(".virtual").focus();
    await page.keyboard.press("End");
    await page.locator(`[data-index="${LONG_MESSAGES - 1}"]`).waitFor();
    expect(await page.locator(".message").count()).toBeLessThan(100);
  });
});
