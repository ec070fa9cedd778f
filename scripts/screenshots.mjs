/**
 * Screenshots of the page's main views, from a daemon with recorded history and live sessions, an empty one, and one with 1,000
 * sessions. `node scripts/screenshots.mjs` writes those of docs/page, `node scripts/screenshots.mjs directory` writes all.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { CHANGING, writeDemoChanges } from "./demo-changes.mjs";
import { startDemoDaemon } from "./demo-daemon.mjs";
import { ensureBrowser, NO_BROWSER } from "./find-browser.mjs";
import { root, say } from "./setup.mjs";

/** Those in the repository. */
const KEPT = [
  "changes-light",
  "cost-dark",
  "first-run-light",
  "launch-light",
  "overview-dark",
  "phone-agent-dark",
  "phone-list-dark",
  "search-light",
  "sessions-dark",
  "terminal-light",
  "thousand-sessions-light",
  "transcript-light",
];
const THOUSAND = 1000;

const directory = process.argv[2] ?? join(root, "docs/page");
const isKept = (name) => process.argv[2] !== undefined || KEPT.includes(name);
const executablePath = ensureBrowser(say);
if (executablePath === undefined) throw new Error(NO_BROWSER);
mkdirSync(directory, { recursive: true });
// Placeholder agents for the launch dialog.
const installed = mkdtempSync("/tmp/amux-w-bin-");
for (const agent of ["claude", "codex", "gemini", "pi"]) {
  writeFileSync(join(installed, agent), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
}
const vars = { PATH: `${installed}:${process.env.PATH}` };
let demo = await startDemoDaemon({ vars, prepare: writeDemoChanges });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-3d-apis"] });
try {
  const sessions = await launchDemo(demo);
  for (const scheme of ["dark", "light"]) {
    await takeDesktop(scheme, sessions);
    await takePhone(scheme, sessions);
  }
  await demo.close();
  demo = await startDemoDaemon({ vars, history: false });
  for (const scheme of ["dark", "light"]) await takeOne("first-run", scheme, "/overview", "[aria-label=Welcome]");
  await demo.close();
  demo = await startDemoDaemon({ vars, history: false, prepare: writeThousand });
  for (const scheme of ["dark", "light"]) await takeOne("thousand-sessions", scheme, "/sessions", ".cell-title");
} finally {
  await browser.close();
  await demo.close();
  rmSync(installed, { recursive: true, force: true });
}

async function take(page, name) {
  if (isKept(name)) await page.screenshot({ path: join(directory, `${name}.png`) });
}

async function takeOne(name, scheme, path, selector) {
  const page = await open({ viewport: { width: 1280, height: 800 }, colorScheme: scheme });
  await visit(page, path, selector);
  if (name === "thousand-sessions") {
    await page.locator(".sessions [role=status]", { hasText: /^1,000 sessions[^…]*$/ }).waitFor();
  }
  await take(page, `${name}-${scheme}`);
  await page.context().close();
}

async function takeDesktop(scheme, sessions) {
  const page = await open({ viewport: { width: 1280, height: 800 }, colorScheme: scheme });
  const shot = (name) => take(page, `${name}-${scheme}`);
  await visit(page, `/s/${sessions.tests}`, ".term-box .xterm-screen");
  await page.locator(".xterm-rows", { hasText: "waiting for changes" }).waitFor();
  await shot("terminal");
  const best = await bestTranscript();
  await visit(page, `/t/${encodeURIComponent(best.unifiedId)}`, ".message");
  await page.locator(".timeline summary").click();
  await page.waitForFunction('CSS.highlights.get("code-keyword")?.size > 0');
  await shot("transcript");
  await showChanges(page);
  await shot("changes");
  await visit(page, `/s/${sessions.tests}?beside=${sessions.failed},${sessions.working}`, ".session-cell:nth-child(3)");
  await page.locator(".xterm-rows", { hasText: "waiting for changes" }).waitFor();
  await shot("beside");
  await visit(page, "/search?q=health", ".hit");
  await shot("search");
  await visit(page, "/sessions", ".sessions-row .cell-title");
  await page.locator(".sessions [role=status]", { hasText: "$" }).waitFor();
  await shot("sessions");
  await visit(page, "/settings", ".settings section");
  await page.getByText("Looking at agents' settings").waitFor({ state: "detached" });
  await shot("settings");
  await visit(page, "/cost", ".cost-table");
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.waitForSelector(".plot-bar");
  await page.waitForSelector(".cost-table tbody tr");
  await page.waitForTimeout(300);
  await shot("cost");
  await visit(page, "/overview", ".recent li");
  await page.waitForSelector(".heat");
  await page.locator(".tile-output", { hasText: "Running npm test" }).waitFor();
  await shot("overview");
  await page.getByRole("button", { name: "New", exact: true }).click();
  await shot("launch");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("shop");
  await shot("palette");
  await page.keyboard.press("Escape");
  await visit(page, `/s/${sessions.failed}`, ".ended-session");
  await page.waitForTimeout(300);
  await shot("ended");
  const history = await demo.ask("GET", "/v1/history?limit=200");
  const forked = history.find(({ forkedFrom }) => forkedFrom !== undefined);
  if (forked !== undefined) {
    const path = `/compare?a=${encodeURIComponent(`${forked.agent}:${forked.forkedFrom}`)}&b=${encodeURIComponent(forked.unifiedId)}`;
    await visit(page, path, ".pair, .empty.bad");
    await shot("compare");
  }
  await page.context().close();
}

async function takePhone(scheme, sessions) {
  const page = await open({
    viewport: { width: 390, height: 780 },
    colorScheme: scheme,
    hasTouch: true,
    isMobile: true,
  });
  const shot = (name) => take(page, `phone-${name}-${scheme}`);
  await visit(page, "/list", ".row");
  await shot("list");
  await visit(page, `/s/${sessions.tests}`, ".key-bar");
  await page.locator(".xterm-rows", { hasText: "waiting for changes" }).waitFor();
  await shot("terminal");
  await visit(page, `/s/${sessions.resumed}`, ".talk .message");
  await page.locator(".talk .message", { hasText: "what changed so far?" }).waitFor();
  await shot("agent");
  await visit(page, "/overview", ".recent li");
  await shot("overview");
  await visit(page, `/t/${encodeURIComponent((await bestTranscript()).unifiedId)}`, ".message");
  await shot("transcript");
  await showChanges(page);
  await shot("changes");
  await visit(page, "/search?q=health", ".hit");
  await shot("search");
  await visit(page, "/cost", ".cost-table");
  await page.waitForTimeout(300);
  await shot("cost");
  await page.context().close();
}

async function showChanges(page) {
  await visit(page, `/t/${encodeURIComponent(`claude:${CHANGING}`)}?show=changes`, ".change-line");
  await page.waitForFunction('CSS.highlights.get("code-keyword")?.size > 0');
}

async function bestTranscript() {
  const history = await demo.ask("GET", "/v1/history?limit=200");
  return history.filter(({ agent }) => agent === "claude").sort((a, b) => b.messageCount - a.messageCount)[0];
}

async function open(options) {
  const context = await browser.newContext(options);
  // For a busy machine.
  context.setDefaultTimeout(120_000);
  // As if the overview was last opened an hour ago.
  const lastLook = new Date(Date.now() - 3_600_000).toISOString();
  await context.addInitScript((at) => localStorage.setItem("amux.last-look", JSON.stringify(at)), lastLook);
  const page = await context.newPage();
  await page.goto(await demo.loginLink());
  await page.waitForSelector(".page");
  return page;
}

async function visit(page, path, selector) {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await page.waitForSelector(selector, { state: "attached" });
}

async function launchDemo(demo) {
  const shop = join(demo.home, "dev/shop-api");
  const site = join(demo.home, "dev/shop-web");
  mkdirSync(shop, { recursive: true });
  mkdirSync(site, { recursive: true });
  const stay = "exec sleep 600";
  const title = (text) => String.raw`printf '\033]2;${text}\007'`;
  const tests = await demo.launch(
    `${title("npm test, again and again")}; for i in 1 2 3; do printf '\\033[32m ✓\\033[0m cart.test.ts  \\033[2m(%d tests) %dms\\033[0m\\n' $((i*7)) $((i*31)); done; ` +
      `printf '\\n \\033[1mTest Files\\033[0m  \\033[32m3 passed\\033[0m (3)\\n\\033[2m   Duration  1.04s\\033[0m\\n\\n\\033[34mwaiting for changes …\\033[0m\\n'; ${stay}`,
    { cwd: shop },
  );
  const asking = await launchAs("claude", `${title("Rename the orders table")}; ${stay}`, shop);
  const working = await launchAs(
    "codex",
    `${title("Add a health route")}; echo '• Edited src/routes.js (+3 -0)'; echo '• Running npm test'; ${stay}`,
    shop,
  );
  const question = await launchAs(
    "gemini",
    `${title("Move the page to CSS grid")}; echo '✦ The layout now uses grid.'; ${stay}`,
    site,
  );
  await demo.launch(`${title("dev server")}; echo ready on 5173; ${stay}`, { cwd: site });
  const failed = await demo.launch(
    `${title("Upload the release")}; echo uploading 3 files; echo "403 Forbidden"; exit 3`,
    {
      cwd: site,
    },
  );
  const at = new Date(Date.now() - 4 * 60_000).toISOString();
  const report = (id, body) => demo.ask("PUT", `/v1/sessions/${id}/status`, body);
  await report(working, { label: "", working: true });
  await hook(demo, asking, { state: "permission", message: "psql -c 'ALTER TABLE orders RENAME TO purchases'", at });
  await hook(demo, question, { state: "waiting", message: "Should the sidebar collapse below 900 px?", at });
  const { unifiedId } = await bestTranscript();
  const { session_id: resumed } = await demo.ask("POST", `/v1/history/${encodeURIComponent(unifiedId)}/resume`, {
    cwd: shop,
  });
  return { tests, asking, working, question, failed, resumed };
}

function writeThousand(home) {
  const topics = ["Fix the cart total", "Add a health route", "Rename the orders table", "Explain the login flow"];
  for (let index = 0; index < THOUSAND; index++) {
    const cwd = join(home, `dev/service-${index % 12}`);
    const place = join(home, ".pi/agent/sessions", `--${cwd.slice(1).replaceAll("/", "-")}--`);
    mkdirSync(place, { recursive: true });
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const timestamp = new Date(Date.now() - index * 3_600_000).toISOString();
    const said = [
      { role: "user", text: `${topics[index % topics.length]} (${index + 1})` },
      { role: "assistant", text: "Done." },
    ];
    const messages = said.map(({ role, text }, at) => ({
      type: "message",
      id: `entry-${at}`,
      parentId: at === 0 ? null : `entry-${at - 1}`,
      timestamp,
      message: { role, content: [{ type: "text", text }] },
    }));
    const lines = [{ type: "session", version: 3, id, timestamp, cwd }, ...messages].map((line) =>
      JSON.stringify(line),
    );
    writeFileSync(join(place, `${timestamp.replaceAll(/[:.]/g, "-")}_${id}.jsonl`), `${lines.join("\n")}\n`);
  }
}

/** A script under an agent's name, so that it is shown as one. */
async function launchAs(agent, script, cwd) {
  const bin = mkdtempSync(join(demo.place, "bin-"));
  const path = join(bin, agent);
  writeFileSync(path, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return demo.launch("", { command: [path], cwd });
}

/** Posted to the runner, as by the hook program. */
async function hook(demo, id, report) {
  const { request } = await import("node:http");
  const socketPath = join(demo.place, "amux/sockets", `${id}.sock`);
  await new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method: "POST", path: "/hook", headers: { host: "runner" } }, (response) => {
      response.resume();
      response.once("end", resolve);
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify({ ...report, source: "hook" }));
  });
}
