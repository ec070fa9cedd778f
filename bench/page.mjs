/**
 * The page under load: busy sessions and a flooding terminal; prints long tasks, frame delays and memory. Needs a build.
 *   node bench/page.mjs [--seconds 30] [--sessions 50] [--flood yes,cat] [--trace FILE]
 */
import { createWriteStream, openSync, writeSync, closeSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startDemoDaemon } from "../scripts/demo-daemon.mjs";
import { ensureBrowser, NO_BROWSER } from "../scripts/find-browser.mjs";

/** Size of the file that is printed repeatedly. */
const FILE_MB = 100;
const LONG_MS = 100;
const MINUTE_MS = 60_000;

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const seconds = Number(option("seconds", "30"));
const count = Number(option("sessions", "50"));
const floods = option("flood", "yes,cat").split(",");
const traceFile = option("trace", undefined);

const executablePath = ensureBrowser();
if (executablePath === undefined) throw new Error(NO_BROWSER);
const demo = await startDemoDaemon({ history: false });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const ids = [];
  for (let index = 0; index < count; index++)
    ids.push(await demo.launch("exec sleep 36000", { name: `session ${index}` }));
  for (const flood of floods) await measure(flood, ids);
} finally {
  await browser.close();
  await demo.close();
}

async function measure(flood, ids) {
  const flooding = await demo.launch(commandOf(flood), { name: flood });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await demo.loginLink());
  await page.waitForSelector(".page .connection.live");
  await page.evaluate(`history.pushState(null, "", "/s/${flooding}"); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.waitForSelector('.pane[data-state="open"]');
  await page.evaluate(watchTasks);
  const tools = await page.context().newCDPSession(page);
  const trace = traceFile === undefined ? undefined : await startTrace(tools);
  const heaps = [await heapOf(tools)];
  const delays = [];
  let updates = 0;
  let missed = 0;
  const until = Date.now() + seconds * 1000;
  let nextHeap = Date.now() + MINUTE_MS;
  while (Date.now() < until) {
    const id = ids[updates++ % ids.length];
    const status = { label: `step ${updates}`, working: updates % 2 === 0 };
    // An overloaded machine may miss one; the page continues.
    await demo.ask("PUT", `/v1/sessions/${id}/status`, status).catch(() => missed++);
    if (updates % 20 === 0) delays.push(await page.evaluate(nextFrame));
    if (Date.now() < nextHeap) continue;
    nextHeap += MINUTE_MS;
    // A forced garbage collection is a long task of its own.
    const known = await page.evaluate("longTasks.length");
    heaps.push(await heapOf(tools));
    await page.evaluate(`longTasks.splice(${known})`);
  }
  const { tasks, frames } = await page.evaluate("({ tasks: longTasks, frames: longFrames })");
  await trace?.();
  heaps.push(await heapOf(tools));
  const drawing = await page.getAttribute(".term-box", "data-drawing");
  const sorted = delays.toSorted((a, b) => a - b);
  const rows = [
    ["sessions, updates", `${count}, ${updates - missed} in ${seconds} s`],
    ["flood, drawn with", `${flood}, ${drawing}`],
    ["tasks over 50 ms", String(tasks.length)],
    [`tasks over ${LONG_MS} ms`, String(tasks.filter((ms) => ms > LONG_MS).length)],
    ["longest task", `${Math.max(0, ...tasks).toFixed(0)} ms`],
    ["next frame, median", `${(sorted[sorted.length >> 1] ?? 0).toFixed(0)} ms`],
    ["next frame, worst", `${(sorted.at(-1) ?? 0).toFixed(0)} ms`],
    ["heap by minute", heaps.map((size) => `${size.toFixed(1)} MB`).join(", ")],
  ];
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(24)} ${value}\n`);
  for (const frame of frames) process.stdout.write(`  ${frame}\n`);
  process.stdout.write("\n");
  await page.context().close();
  await demo.ask("POST", `/v1/sessions/${flooding}/kill`);
}

function commandOf(flood) {
  if (flood !== "cat") return flood;
  const path = join(demo.home, "flood.txt");
  writeText(path);
  return `while :; do cat ${path}; done`;
}

/** Realistic lines: of all lengths, some in colour. */
function writeText(path) {
  const lines = Array.from({ length: 4000 }, (_, index) => {
    const words = `line ${index} ${"lorem ipsum dolor ".repeat(index % 9)}`;
    return index % 5 === 0 ? `\u001b[3${index % 8}m${words}\u001b[0m` : words;
  });
  const piece = Buffer.from(`${lines.join("\n")}\n`);
  const file = openSync(path, "w");
  for (let written = 0; written < FILE_MB * 1024 * 1024; written += piece.length) writeSync(file, piece);
  closeSync(file);
}

/** Runs in the page. */
function watchTasks() {
  window.longTasks = [];
  window.longFrames = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: "longtask" });
  new PerformanceObserver((list) => {
    for (const {
      duration,
      blockingDuration,
      renderStart,
      startTime,
      styleAndLayoutStart,
      scripts,
    } of list.getEntries()) {
      // A few are kept; more would be a leak of the benchmark itself.
      if (duration < 100 || window.longFrames.length >= 5) continue;
      const from = (at) => (at === 0 ? "-" : (at - startTime).toFixed(0));
      const parts = scripts.map(
        (script) =>
          `${script.invoker} ${script.duration.toFixed(0)} ms (layout ${script.forcedStyleAndLayoutDuration.toFixed(0)})`,
      );
      window.longFrames.push(
        `frame ${duration.toFixed(0)} ms, blocked ${blockingDuration.toFixed(0)}, render at ${from(renderStart)}, style at ${from(styleAndLayoutStart)}: ${parts.join("; ")}`,
      );
    }
  }).observe({ type: "long-animation-frame" });
}

/** Runs in the page. */
function nextFrame() {
  return new Promise((resolve) => {
    const started = performance.now();
    setTimeout(() => requestAnimationFrame(() => resolve(performance.now() - started)), 0);
  });
}

/** After a collection, so that garbage does not count. */
async function heapOf(tools) {
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await tools.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}

/** For the browser's developer tools; returns a function that stops it. */
async function startTrace(tools) {
  const file = createWriteStream(traceFile);
  let isFirst = true;
  file.write('{"traceEvents":[');
  tools.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value) {
      file.write(`${isFirst ? "" : ","}${JSON.stringify(event)}`);
      isFirst = false;
    }
  });
  await tools.send("Tracing.start", {
    transferMode: "ReportEvents",
    categories: "devtools.timeline,toplevel,disabled-by-default-v8.cpu_profiler,v8,blink.user_timing,cc,gpu",
  });
  return async () => {
    const done = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve));
    await tools.send("Tracing.end");
    await done;
    await new Promise((resolve) => file.end("]}", resolve));
  };
}
