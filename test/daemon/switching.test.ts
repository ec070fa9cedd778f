import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine } from "./support/agent-machine.ts";
import { sharedMachine } from "./support/shared-daemon.ts";

const RECORDED = join(import.meta.dirname, "../../src/agents");

interface Step {
  file: string;
  to: string;
  from?: number;
  until?: number;
  hook?: object;
  /** Its times are so much later than now. */
  laterMs?: number;
}

class ReplayMachine extends AgentMachine {
  readonly #replayed = new Map<string, number>();

  constructor(...options: ConstructorParameters<typeof AgentMachine>) {
    super(...options);
    for (const name of ["claude", "codex", "gemini", "pi"]) {
      const program = join(this.root, "bin", name);
      copyFileSync(join(import.meta.dirname, "support/replay-agent.mjs"), program);
      chmodSync(program, 0o755);
    }
  }

  async open(agent: string, cwd: string): Promise<string> {
    // Without the hooks of a launch: only the files show the conversation.
    const id = await this.launchCommand([agent], cwd);
    await this.#shows(id, "replay ready");
    return id;
  }

  async launchCommand(command: string[], cwd: string): Promise<string> {
    return (await this.data<{ session_id: string }>("POST", "/v1/launch", { command, cwd })).session_id;
  }

  /** Makes the agent write, and resolves when the session shows that conversation. */
  async play(id: string, step: Step, key: string): Promise<MuxSession> {
    const count = (this.#replayed.get(id) ?? 0) + 1;
    this.#replayed.set(id, count);
    await this.ask("POST", `/v1/sessions/${id}/input`, Buffer.from(`${JSON.stringify(step)}\n`));
    await this.#shows(id, `replayed ${count}`);
    return this.until(`the key ${key} after ${basename(step.file)}`, id, ({ resume_key }) => resume_key === key);
  }

  async #shows(id: string, text: string): Promise<void> {
    await waitFor(text, async () => (await this.ask("GET", `/v1/sessions/${id}/text?lines=500`)).text.includes(text));
  }
}

describe("another conversation inside the same agent", () => {
  /** Each agent has its own store. */
  const shared = sharedMachine((atEnd) => new ReplayMachine({}, atEnd));

  it("of Gemini after /clear is found from its files", async () => {
    const test = shared();
    const cwd = test.project("shop-web");
    const chats = ".gemini/tmp/shop-web/chats";
    mkdirSync(join(test.userHome, chats), { recursive: true });
    writeFileSync(join(test.userHome, ".gemini/tmp/shop-web/.project_root"), cwd);
    // Recorded around a real /clear.
    const step = (name: string): Step => ({
      file: join(RECORDED, "gemini/fixtures/home", chats, name),
      to: join(chats, name),
    });
    const id = await test.open("gemini", cwd);
    await test.play(id, step("session-2026-10-16T10-00-caadcdc0.jsonl"), "caadcdc0-2792-4cfd-a85a-9999ba64cb54");
    const next = await test.play(
      id,
      step("session-2026-10-16T10-00-8ebcc718.jsonl"),
      "8ebcc718-6cbf-42ef-8b0d-6e99e6242c3a",
    );
    expect(next.title).toBe("Say two.");
    expect((await test.conversation(id))?.how).toBe("guessed");
  });

  it("of Codex after /new, and after /resume from its hooks or command line", async () => {
    const test = shared();
    const cwd = test.project("shop-api");
    const day = ".codex/sessions/2026/11/15";
    const step = (key: string, name: string): Step => ({
      file: join(RECORDED, "codex/fixtures/home", day, `rollout-${name}-${key}.jsonl`),
      to: join(day, `rollout-${name}-${key}.jsonl`),
    });
    const first = "01a1dce3-a9e9-7d22-a2bd-25f681b26c2f";
    const second = "01a1dce4-112f-7441-959b-5ee3339580e5";
    const id = await test.open("codex", cwd);
    await test.play(id, step(first, "2026-11-15T01-47-50"), first);
    await test.play(id, step(second, "2026-11-15T01-48-16"), second);
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    expect((await test.session(id))?.command).toEqual(["codex", "resume", second]);
    const resumed = await test.launchCommand(["codex", "resume", first], cwd);
    await test.until("the named one", resumed, ({ resume_key }) => resume_key === first);
    expect(await test.conversation(resumed)).toMatchObject({ how: "told", by: "command" });
  });

  it("of Claude Code after /clear and /resume is found from its hooks", async () => {
    const test = shared();
    const cwd = test.project("shop-api");
    const project = ".claude/projects/-home-user-dev-shop-api";
    const calls = readFileSync(join(RECORDED, "claude/fixtures/hooks/claude-interactive.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { stdin: Record<string, unknown> }).stdin);
    const call = (event: string, key: string, more: object = {}): object => ({
      ...calls.find(({ hook_event_name }) => hook_event_name === event)!,
      session_id: key,
      transcript_path: join(test.userHome, project, `${key}.jsonl`),
      cwd,
      ...more,
    });
    const step = (key: string, hook: object, part: Partial<Step> = {}): Step => ({
      file: join(RECORDED, "claude/fixtures/home", project, `${key}.jsonl`),
      to: join(project, `${key}.jsonl`),
      hook,
      ...part,
    });
    const [one, two] = ["c3fae41e-77d8-43d0-8f86-4a65919c07a8", "fefe6500-c01c-49a7-a2a6-cae8d4cf2439"];
    const id = await test.open("claude", cwd);
    await test.play(id, step(one, call("UserPromptSubmit", one)), one);
    expect(await test.conversation(id)).toMatchObject({ how: "told", by: "hook" });
    const cleared = await test.play(id, step(two, call("SessionStart", two, { source: "clear" })), two);
    expect(cleared.title).toContain("Summarise the repo");
    const back = await test.play(id, step(one, call("SessionStart", one, { source: "resume" }), { from: -2 }), one);
    expect(back.title).toContain("What does src/price.js do?");
    const running = (await test.sessions()).filter(({ alive, kind }) => alive && kind === "claude");
    expect(running.map(({ resume_key }) => resume_key)).toEqual([one]);
  });

  it("of Pi after /new, and after /resume from its screen", async () => {
    const test = shared();
    const cwd = test.project("shop-cli");
    const store = ".pi/agent/sessions/--home-user-dev-shop-cli--";
    const step = (name: string, part: Partial<Step> = {}): Step => ({
      file: join(RECORDED, "pi/fixtures/home", store, name),
      to: join(store, name),
      ...part,
    });
    const [one, two] = ["01a1dca2-3d23-7775-9fc7-ffc0a825f331", "01a1dca2-b9e2-759e-a3e8-243c0d07207e"];
    const [first, second] = [`2026-11-15T00-36-22-439Z_${one}.jsonl`, `2026-11-15T00-36-54-373Z_${two}.jsonl`];
    const id = await test.open("pi", cwd);
    // Two conversations of Pi written close together cannot be told apart.
    await test.play(id, step(first), one);
    await test.play(id, step(second, { laterMs: 2200 }), two);
    await test.play(id, step(first, { from: -3, laterMs: 4400 }), one);
    expect(await test.conversation(id)).toMatchObject({ how: "guessed", by: "screen" });
  });
});
