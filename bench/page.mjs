/**
 * The page under load: sessions that change all the time, one terminal that floods and is looked at. Prints the browser's
 * long tasks, the delay of a key press and the memory of the page.
 * `node bench/page.mjs [--seconds 30] [--sessions 50] [--command yes] [--no-webgl]`; needs a build (npm run build).
 * Without a graphics card WebGL is drawn by the processor: `--no-webgl` then tells more.
 */
import { chromium } from "playwright-core";
import { startDemoDaemon } from "../scripts/demo-daemon.mjs";
import { ensureBrowser, NO_BROWSER } from "../scripts/find-browser.mjs";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const seconds = Number(option("seconds", "30"));
const count = Number(option("sessions", "50"));
const flood = option("command", "yes");

const executablePath = ensureBrowser();
if (executablePath === undefined) throw new Error(NO_BROWSER);
const demo = await startDemoDaemon({ history: false });
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", ...(process.argv.includes("--no-webgl") ? ["--disable-gpu", "--disable-3d-apis"] : [])],
});
try {
  const ids = [];
  for (let index = 0; index < count; index++)
    ids.push(await demo.launch("exec sleep 3600", { name: `session ${index}` }));
  const flooding = await demo.launch(flood, { name: "flood" });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await demo.loginLink());
  await page.waitForSelector(".page .connection.live");
  await page.evaluate(`history.pushState(null, "", "/s/${flooding}"); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.waitForSelector('.pane[data-state="open"]');
  await page.evaluate(`
    window.longTasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => longTasks.push(duration))).observe({ type: "longtask" });
  `);
  const before = await heapOf(page);
  const delays = [];
  let updates = 0;
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const id = ids[updates++ % ids.length];
    await demo.ask("PUT", `/v1/sessions/${id}/status`, { label: `step ${updates}`, working: updates % 2 === 0 });
    if (updates % 20 === 0)
      delays.push(
        await page.evaluate(`new Promise((resolve) => {
      const started = performance.now();
      setTimeout(() => requestAnimationFrame(() => resolve(performance.now() - started)), 0);
    })`),
      );
  }
  const longTasks = await page.evaluate("longTasks");
  const after = await heapOf(page);
  const drawing = await page.getAttribute(".term-box", "data-drawing");
  const rows = [
    ["sessions, updates", `${count}, ${updates} in ${seconds} s`],
    ["flood, drawn with", `${flood}, ${drawing}`],
    ["long tasks over 50 ms", String(longTasks.length)],
    ["longest task", `${Math.max(0, ...longTasks).toFixed(0)} ms`],
    ["tasks over 100 ms", String(longTasks.filter((ms) => ms > 100).length)],
    ["next frame, worst", `${Math.max(0, ...delays).toFixed(0)} ms`],
    ["heap before, after", `${before.toFixed(1)} MB, ${after.toFixed(1)} MB`],
  ];
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(24)} ${value}\n`);
} finally {
  await browser.close();
  await demo.close();
}

/** After a collection, so that garbage does not count. */
async function heapOf(page) {
  const tools = await page.context().newCDPSession(page);
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await tools.send("Runtime.getHeapUsage");
  await tools.detach();
  return usedSize / 1024 / 1024;
}
