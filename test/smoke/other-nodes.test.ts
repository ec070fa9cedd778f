/** The built command on newer Node versions: every entry point works. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { OTHER_NODES, otherNode } from "../../scripts/other-nodes.mjs";
import { ShimClient } from "../../src/client/shim-client.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { fakeAgent, type FakeAgent } from "../support/fake-agent.ts";
import { needs } from "../support/needs.ts";
import { freePort } from "../../scripts/free-port.mjs";
import { runCli, type CliResult } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures");

/** A home with history and an agent, removed after the test. */
function place(): FakeAgent {
  const fake = fakeAgent("claude", "replay", { FAKE_STREAM: join(CLAUDE, "stream/tools-1.jsonl") });
  Object.assign(fake.env.vars, { AMUX_HOME: fake.home.path, CLAUDE_CONFIG_DIR: join(CLAUDE, "home/.claude") });
  onTestFinished(async () => {
    const client = new ShimClient({ home: fake.home.path });
    for (const id of await client.list()) await client.kill(id);
  });
  return fake;
}

function amuxOn(node: string, { home, env }: FakeAgent, ...args: string[]): Promise<CliResult> {
  return runCli(args, { home: home.path, vars: env.vars, cwd: home.path, node });
}

for (const major of OTHER_NODES) {
  const node = otherNode(major);
  describe(`on Node ${major}`, needs(existsSync(node), `Node ${major} from npm`), () => {
    const amux = (fake: FakeAgent, ...args: string[]): Promise<CliResult> => amuxOn(node, fake, ...args);

    it("it starts and runs an agent", async () => {
      const fake = place();
      expect(await amux(fake, "--version")).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+\.\d+\.\d+/) });
      expect(await amux(fake, "ls")).toMatchObject({ code: 0 });
      expect(await amux(fake, "run", "claude", "Add it")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Added `GET /health`"),
      });
    });

    it("a session can be attached and typed into", async () => {
      const fake = place();
      const started = await amux(fake, "run", "-d", "--", "sh", "-c", "echo ready; exec cat");
      expect(started.code, started.stderr).toBe(0);
      const terminal = new CliTerminal(["attach", started.stdout.trim()], fake.home.path, undefined, {}, [], node);
      await terminal.sees("ready");
      terminal.type("typed here\r");
      await terminal.sees("typed here");
      terminal.type("\x02d");
      expect(await terminal.ended()).toBe(0);
    });

    it("the daemon serves the page", async () => {
      const { home, env } = place();
      const args = [
        join(import.meta.dirname, "../../dist/amux.cjs"),
        "daemon",
        "--listen",
        `127.0.0.1:${await freePort()}`,
      ];
      const daemon = spawn(node, args, { env: env.vars, stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(async () => {
        const ended = once(daemon, "exit");
        daemon.kill("SIGTERM");
        await ended;
      });
      let said = "";
      for (const stream of [daemon.stdout, daemon.stderr]) stream.on("data", (data: Buffer) => (said += String(data)));
      const address = await waitFor(`the daemon in ${home.path}`, () => {
        if (daemon.exitCode !== null) throw new Error(`The daemon ended with ${daemon.exitCode}: ${said}`);
        return /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      });
      const page = await fetch(address);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain("<title>");
    });
  });
}

const newer = OTHER_NODES.map(otherNode).filter((node) => existsSync(node));

it(
  "a session and an index of an older Node still work, also back on the older one",
  needs(newer.length > 0, "other Nodes from npm"),
  async () => {
    const fake = place();
    const before = (...args: string[]): Promise<CliResult> => amuxOn(process.execPath, fake, ...args);
    expect((await before("index", "build")).code).toBe(0);
    const questions = ["sessions list", "sessions search health", "cost report"].map((text) => [
      ...text.split(" "),
      "--json",
    ]);
    const answers = await Promise.all(questions.map((question) => before(...question)));
    for (const { code, stdout } of answers) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).not.toEqual([]);
    }
    for (const node of newer) {
      const { code, stdout, stderr } = await before("run", "-d", "--", "sh", "-c", "echo ready; exec cat");
      expect(code, stderr).toBe(0);
      const id = stdout.trim();
      for (const [at, question] of questions.entries()) {
        expect(await amuxOn(node, fake, ...question), `${node} ${question.join(" ")}`).toEqual(answers[at]);
      }
      expect((await amuxOn(node, fake, "send", id, "typed after")).code).toBe(0);
      expect((await amuxOn(node, fake, "kill", id)).code).toBe(0);
      expect((await before("tail", id)).stdout).toContain("typed after");
    }
    for (const [at, question] of questions.entries()) {
      expect(await before(...question), `${question.join(" ")} after all of them`).toEqual(answers[at]);
    }
  },
);
