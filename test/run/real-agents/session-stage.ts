/** A home, a model service and the command, for real programs in sessions. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { needs } from "../../support/needs.ts";
import { runCli, type CliResult } from "../../support/run-cli.ts";
import { homeAt } from "../../support/temp-home.ts";
import { waitFor } from "../../support/wait-for.ts";
import { REAL_AGENTS, settle, type RealAgent } from "./agent-homes.ts";
import { MORE_AGENTS } from "./more-homes.ts";
import { startModelService, type ModelService } from "./model-service.ts";
import { SPOKEN } from "./spoken.ts";

/** The directory of the programs. */
const BIN = process.env["AMUX_REAL_AGENTS"] ?? "";

export function describeEach(cases: (agent: RealAgent) => void | Promise<void>): void {
  for (const agent of [...REAL_AGENTS, ...MORE_AGENTS]) {
    const isThere = BIN !== "" && existsSync(join(BIN, agent.name));
    const options = { ...needs(isThere, "real agents (node test/run/real-agents/run.mjs)"), timeout: 240_000 };
    describe(`${agent.name} ${agent.version}`, options, async () => {
      await cases(agent);
    });
  }
}

interface Item {
  session: string;
  reason: string;
  text?: string;
  options?: { number?: string; label: string }[];
}

export class SessionStage {
  readonly service: ModelService;
  readonly cwd: string;
  readonly #home: string;
  readonly #vars: Record<string, string>;

  private constructor(home: string, service: ModelService, place: { cwd: string; vars: Record<string, string> }) {
    this.#home = home;
    this.service = service;
    this.cwd = place.cwd;
    this.#vars = place.vars;
  }

  /** The agent is started in session `a`. */
  static async start(agent: RealAgent): Promise<SessionStage> {
    const { args = [], needsHooks = false, prepare } = SPOKEN[agent.name]!;
    // Below a world-writable directory Gemini skips hooks.
    const parent = join(homedir(), ".cache");
    mkdirSync(parent, { recursive: true });
    const home = mkdtempSync(join(parent, "amux-speak-"));
    const service = await startModelService();
    const place = settle(agent, homeAt(home), service.url, BIN);
    prepare?.(homeAt(home), place.vars);
    const stage = new SessionStage(home, service, place);
    if (needsHooks) await stage.expectCode(0, "hooks", "install", agent.name);
    await stage.expectCode(0, "run", "-d", "--name", "a", "--", agent.name, ...args);
    return stage;
  }

  async end(...sessions: string[]): Promise<void> {
    for (const session of sessions) await this.amux("kill", session);
    await this.service.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  amux(...words: string[]): Promise<CliResult> {
    const vars = { ...this.#vars, TERM: "xterm-256color", AMUX_HOME: join(this.#home, "amux") };
    return runCli(words, { home: this.#home, cwd: this.cwd, vars });
  }

  async json<T>(...words: string[]): Promise<T> {
    return JSON.parse((await this.amux(...words, "--json")).stdout) as T;
  }

  asked(reason?: string): Promise<Item> {
    return waitFor(`a ${reason ?? "question or permission"}`, async () => {
      const items = await this.json<Item[]>("attention");
      const isOf = (item: Item): boolean => reason === undefined || item.reason === reason;
      return items.find((item) => isOf(item) && (item.options?.length ?? 0) > 1);
    });
  }

  /** Fails with the output and the screens. */
  async expectCode(code: number, ...words: string[]): Promise<string> {
    const { code: was, stdout, stderr } = await this.amux(...words);
    if (was === code) return stdout;
    const screens = await Promise.all(["a", "b", "c"].map((session) => this.amux("capture", session)));
    const shown = screens.map((screen) => screen.stdout).join("\n");
    throw new Error(`amux ${words.join(" ")} ended with ${was}, not ${code}: ${stdout}${stderr}\n${shown}`);
  }

  isIdle(session = "a"): Promise<CliResult> {
    return this.amux("wait", session, "--for", "idle", "--timeout", "60s");
  }

  /** Answers trust, mode or model dialogs with the option that changes least. */
  async begin(session = "a"): Promise<void> {
    await waitFor("its screen", async () => (await this.amux("capture", session)).stdout.trim().length > 200);
    for (let dialogs = 0; dialogs < 4; dialogs++) {
      const { code } = await this.amux("wait", session, "--for", "idle", "--timeout", "10s");
      if (code === 0) break;
      const { options = [] } = await this.asked();
      const picked = options.find(({ label }) => /^(?:Yes|Trust\b|No, keep|Use existing)/.test(label))!;
      const wanted = options.find(({ label }) => /^(?:No, keep|Use existing)/.test(label)) ?? picked;
      const answered = await this.expectCode(0, "answer", session, wanted.number ?? wanted.label, "--json");
      const { option } = JSON.parse(answered) as { option?: string };
      if (option !== wanted.label) throw new Error(`Not ${wanted.label} was chosen: ${answered}`);
    }
    await this.expectCode(0, "wait", session, "--for", "idle", "--timeout", "60s");
  }

  /** Sends a message, and waits until its answer is shown and the turn is over. */
  async say(text: string, answer: string, session = "a"): Promise<void> {
    const sent = await this.expectCode(0, "send", session, text, "--json");
    const { confirmed } = JSON.parse(sent) as { confirmed?: boolean };
    if (confirmed !== true) throw new Error(`The message was not confirmed: ${sent}`);
    await waitFor("its answer", async () => (await this.amux("capture", session)).stdout.includes(answer));
    await this.isIdle(session);
  }
}
