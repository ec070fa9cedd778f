/** A new user without any session. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import { audit } from "./support/audit.ts";
import { rowOf, stage, visit } from "./support/browser.ts";
import { pathWithFakeAgents } from "./support/fake-agent.ts";

const at = stage({ history: false, vars: { PATH: pathWithFakeAgents() } });
let page: Page;

beforeAll(async () => {
  page = await at.open();
});

describe("a first look", () => {
  it("is welcomed with the agents that were found, and what to do next", async () => {
    await visit(page, "/overview");
    const welcome = page.getByRole("region", { name: "Welcome" });
    await welcome.getByRole("link", { name: "Install hooks" }).waitFor();
    await welcome.getByText(/^Not installed: .*Codex/).waitFor();
    expect(await audit(page)).toEqual([]);
    await welcome.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await visit(page, "/sessions");
    await page.getByText("Sessions of your agents appear here").waitFor();
    await visit(page, "/overview");
    await welcome.getByRole("button", { name: "Pi", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    expect(await dialog.getByLabel("Pi", { exact: true }).isChecked()).toBe(true);
    await page.keyboard.press("Escape");
  });

  it("is shown where amux looked, and can install hooks and remove them", async () => {
    const reviews = join(at.demo.place, "amux/reviews");
    mkdirSync(reviews, { mode: 0o700 });
    writeFileSync(join(reviews, "torn.json"), '{"sessions":');
    await visit(page, "/overview");
    await page.getByRole("link", { name: "see where amux looked" }).click();
    const doctor = page.getByRole("region", { name: "Doctor" });
    await doctor.getByText(`No history at ${at.demo.home}/.claude/projects`).waitFor();
    await doctor.getByText(`Not a review: ${join(reviews, "torn.json")}`).waitFor();
    const hooks = page.getByRole("region", { name: "Agents and hooks" });
    await hooks.getByRole("button", { name: "Install hooks of Claude Code" }).click();
    await hooks.getByRole("button", { name: "Remove hooks of Claude Code" }).waitFor();
    const settings = join(at.demo.home, ".claude/settings.json");
    expect(readFileSync(settings, "utf8")).toContain("amux-hook");
    expect(await audit(page)).toEqual([]);
    await hooks.getByRole("button", { name: "Remove hooks of Claude Code" }).click();
    await hooks.getByRole("button", { name: "Install hooks of Claude Code" }).waitFor();
    expect(existsSync(settings)).toBe(false);
  });
});

describe("starting an agent", () => {
  it("takes a prompt, a model from a list, permissions and a name", async () => {
    await visit(page, "/overview");
    await page.getByRole("button", { name: "New", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Pi", { exact: true }).check();
    expect(await dialog.getByLabel("Permissions").count()).toBe(0);
    await dialog.getByLabel("Claude Code").check();
    await dialog.getByLabel("Prompt").fill("Count the\nboats");
    await expect
      .poll(() => dialog.locator("#models option").evaluateAll((all) => all.map((one) => one.getAttribute("value"))))
      .toContain("claude-opus-5-5");
    await dialog.getByLabel("Model").fill("claude-opus-5-5");
    await dialog.getByLabel("Permissions").selectOption({ label: "Plan only: changes nothing" });
    await dialog.getByLabel("Name").fill("harbour master");
    await dialog.getByLabel("New git worktree").fill("two words");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("“two words” cannot be a branch name").waitFor();
    expect(await audit(page)).toEqual([]);
    await dialog.getByLabel("New git worktree").fill("");
    await page.keyboard.press("Control+Enter");
    await page.locator(".view-title h1", { hasText: "harbour master" }).waitFor();
    const all = await at.demo.ask<MuxSession[]>("GET", "/v1/sessions");
    const { command } = all.find(({ name }) => name === "harbour master")!;
    expect(command.join(" ")).toContain("--model claude-opus-5-5 --permission-mode plan");
    expect(command.at(-1)).toBe("Count the\nboats");
  });

  it("offers the models that have a price when the ones used before cannot be read", async () => {
    const there = await at.open();
    await there.route("**/v1/history/facets*", (route) => route.abort());
    await visit(there, "/overview");
    await there.getByRole("button", { name: "New", exact: true }).click();
    const dialog = there.getByRole("dialog", { name: "New session" });
    await dialog.getByText("Claude Code").click();
    await dialog.locator('#models option[value="claude-opus-5-5"]').waitFor({ state: "attached" });
    expect(await dialog.getByLabel("Permissions").locator("option").first().textContent()).toBe("Agent default");
    await there.context().close();
  });

  it("says which options the agent does not support", async () => {
    const request = { agent: "pi", permission_mode: "all", cwd: at.demo.home };
    await expect(at.demo.ask("POST", "/v1/launch", request)).rejects.toThrow(
      /Pi cannot be started with a permission mode/,
    );
  });
});

describe("the prices in the settings", () => {
  it("are loading until they are there, and one model is no plural", async () => {
    const there = await at.open();
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await there.route("**/v1/models", async (route) => {
      await answered;
      const rates = { input: 1, output: 2 };
      await route.fulfill({ json: { ok: true, data: [{ id: "only-one", vendor: "someone", rates }] } });
    });
    await visit(there, "/settings");
    await there.getByText("Loading prices …").waitFor();
    answer();
    await there.getByText("1 model", { exact: true }).waitFor();
    await there.context().close();
  });
});

describe("a session's own actions", () => {
  it("are in a menu: rename in place with undo, and end after a confirmation", async () => {
    const id = await at.demo.launch("exec sleep 600", { name: "first name" });
    await page.locator(`${rowOf(id)} .row-main`).click();
    await page.locator(".view-title h1", { hasText: "first name" }).waitFor();
    await page.getByLabel("Actions").click();
    await page.getByRole("button", { name: "Rename" }).click();
    const field = page.getByLabel("Session name");
    await field.fill("second name");
    await field.press("Enter");
    await page.locator(".view-title h1", { hasText: "second name" }).waitFor();
    await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
    await page.locator(".view-title h1", { hasText: "first name" }).waitFor();
    await page.getByLabel("Actions").click();
    await page.getByRole("button", { name: "End", exact: true }).click();
    const question = page.getByRole("dialog", { name: "End “first name”?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    const isAlive = async (): Promise<boolean> =>
      (await at.demo.ask<{ alive: boolean }>("GET", `/v1/sessions/${id}`)).alive;
    expect(await isAlive()).toBe(true);
    await page.getByLabel("Actions").click();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await question.getByRole("button", { name: "End" }).click();
    await expect.poll(isAlive).toBe(false);
  });
});
