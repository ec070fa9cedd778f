/**
 * A long conversation in the page: time until readable, and frame times while scrolling. `node bench/page-scroll.mjs [--messages
 * 100000] [--seconds 8]`; needs a build.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startDemoDaemon } from "../scripts/demo-daemon.mjs";
import { ensureBrowser, NO_BROWSER } from "../scripts/find-browser.mjs";

/** A later frame is visible as a jerk: two of sixty in a second. */
const LATE_MS = 34;
const LONG_MS = 100;
/** Interval of a fast mouse wheel. */
const WHEEL_EVERY_MS = 16;
const READ_WITHIN_MS = 300_000;

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const count = option("messages", 100_000);
const seconds = option("seconds", 8);

const executablePath = ensureBrowser();
if (executablePath === undefined) throw new Error(NO_BROWSER);
const id = randomUUID();
const demo = await startDemoDaemon({ history: false, prepare: writeConversation });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await demo.loginLink());
  await page.waitForSelector(".page .connection.live");
  const started = performance.now();
  await page.evaluate(`history.pushState(null, "", "/t/claude:${id}"); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.waitForSelector(".message", { timeout: READ_WITHIN_MS });
  say("first message shown", `${((performance.now() - started) / 1000).toFixed(1)} s`);
  await page.getByText(`${count.toLocaleString("en-US")} messages`).waitFor({ timeout: READ_WITHIN_MS });
  say("all read", `${((performance.now() - started) / 1000).toFixed(1)} s`);
  await page.evaluate(watchFrames);
  await page.mouse.move(800, 500);
  await measure("wheel", () => page.mouse.wheel(0, 240), WHEEL_EVERY_MS);
  await measure("wheel, back", () => page.mouse.wheel(0, -240), WHEEL_EVERY_MS);
  await page.locator(".virtual").focus();
  await measure("page keys", () => page.keyboard.press("PageDown"), 100);
  let jump = 0;
  const space = `document.querySelector(".virtual")`;
  await measure(
    "jumps",
    () => page.evaluate(`${space}.scrollTop = ${space}.scrollHeight * ${(++jump * 0.137) % 1}`),
    100,
  );
  const tools = await page.context().newCDPSession(page);
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await tools.send("Runtime.getHeapUsage");
  say("heap", `${(usedSize / 1024 / 1024).toFixed(1)} MB, ${await page.locator(".message").count()} messages drawn`);

  async function measure(name, act, everyMs) {
    await page.evaluate("frames.length = 0; tasks.length = 0");
    const until = Date.now() + seconds * 1000;
    while (Date.now() < until) {
      await act();
      await page.waitForTimeout(everyMs);
    }
    const { frames, tasks } = await page.evaluate("({ frames, tasks })");
    const sorted = frames.toSorted((a, b) => a - b);
    const at = (share) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)}`;
    const late = frames.filter((ms) => ms > LATE_MS).length;
    say(
      name,
      `${frames.length} frames; median ${at(0.5)}, 95 % ${at(0.95)}, worst ${at(0.9999)} ms; ` +
        `${late} late; ${tasks.filter((ms) => ms > LONG_MS).length} tasks over ${LONG_MS} ms`,
    );
  }
} finally {
  await browser.close();
  await demo.close();
}

function say(name, value) {
  process.stdout.write(`${name.padEnd(22)} ${value}\n`);
}

/** Runs in the page. */
function watchFrames() {
  window.frames = [];
  window.tasks = [];
  let last = performance.now();
  const next = (now) => {
    window.frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration);
  }).observe({ type: "longtask" });
}

/** Realistic messages: prose, code, calls, results, and prompts in between. */
function writeConversation(home) {
  const cwd = join(home, "dev/long");
  const directory = join(home, ".claude/projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(directory, { recursive: true });
  let parentUuid = null;
  const lines = Array.from({ length: count }, (_, index) => {
    const uuid = randomUUID();
    const { type, message } = messageAt(index);
    const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const line = JSON.stringify({ parentUuid, uuid, sessionId: id, cwd, timestamp, version: "2.0.0", type, message });
    parentUuid = uuid;
    return line;
  });
  writeFileSync(join(directory, `${id}.jsonl`), `${lines.join("\n")}\n`);
}

function messageAt(index) {
  const prose = `Step ${index}: ${"the retry is bounded, and the **limit** is read from `config.ts`. ".repeat(1 + (index % 5))}`;
  const said = (content) => ({
    type: "assistant",
    message: { role: "assistant", id: `msg_${index}`, model: "claude-opus-5-5", content, usage: {} },
  });
  switch (index % 4) {
    case 0:
      return { type: "user", message: { role: "user", content: `Please do part ${index} as well.` } };
    case 1:
      return said([
        { type: "text", text: `${prose}\n\n\`\`\`ts\nconst limit = ${index};\nretry(limit);\n\`\`\`\n\n- one\n- two` },
        { type: "tool_use", id: `call_${index}`, name: "Bash", input: { command: `npm test -- part-${index}` } },
      ]);
    case 2: {
      const content = `ok ${index}\n`.repeat(1 + (index % 12));
      const result = { type: "tool_result", tool_use_id: `call_${index - 1}`, content };
      return { type: "user", message: { role: "user", content: [result] } };
    }
    default:
      return said([{ type: "text", text: prose }]);
  }
}
