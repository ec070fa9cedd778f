/** A daemon on a machine where the fake agent is installed as `claude`. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionDetails } from "../../../src/protocol/daemon-api.ts";
import type { MuxSession } from "../../../src/protocol/mux-session.ts";
import { waitFor } from "../../support/wait-for.ts";
import { TestDaemon } from "./test-daemon.ts";

export class AgentMachine extends TestDaemon {
  constructor(...options: ConstructorParameters<typeof TestDaemon>) {
    super(...options);
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    copyFileSync(join(import.meta.dirname, "fake-claude.mjs"), join(bin, "claude"));
    chmodSync(join(bin, "claude"), 0o755);
    this.vars["PATH"] = `${bin}:${this.vars["PATH"]}`;
  }

  project(name: string): string {
    const path = join(this.userHome, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async agent(cwd: string): Promise<string> {
    return (await this.data<{ session_id: string }>("POST", "/v1/launch", { agent: "claude", cwd })).session_id;
  }

  /** Types a prompt, waits for the answer, and returns the conversation it landed in. */
  async prompt(id: string, text: string): Promise<string> {
    const count = async (): Promise<string[]> =>
      [...(await this.ask("GET", `/v1/sessions/${id}/text?lines=500`)).text.matchAll(/answered in (\S+)/g)].map(
        ([, key]) => key!,
      );
    await waitFor("its start", async () => (await this.ask("GET", `/v1/sessions/${id}/text`)).text.includes("fake "));
    const before = (await count()).length;
    await this.ask("POST", `/v1/sessions/${id}/input`, Buffer.from(`${text}\n`));
    return waitFor("an answer", async () => (await count())[before]);
  }

  async say(id: string, command: string, answer: string): Promise<void> {
    await this.ask("POST", `/v1/sessions/${id}/input`, Buffer.from(`${command}\n`));
    await waitFor(answer, async () =>
      (await this.ask("GET", `/v1/sessions/${id}/text?lines=500`)).text.includes(answer),
    );
  }

  async conversation(id: string): Promise<SessionDetails["conversation"]> {
    return (await this.data<SessionDetails>("GET", `/v1/sessions/${id}/details`)).conversation;
  }

  async how(id: string): Promise<string | undefined> {
    return (await this.conversation(id))?.how;
  }

  /** A conversation that ended long ago. */
  old(number: number, title: string, cwd: string): string {
    const id = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const directory = join(this.userHome, ".claude", "projects", cwd.replace(/[^A-Za-z0-9]/g, "-"));
    mkdirSync(directory, { recursive: true });
    const at = "2026-01-02T03:04:05.000Z";
    const common = { sessionId: id, timestamp: at, cwd, version: "2.1.0" };
    const lines = [
      { type: "user", uuid: `u${number}`, parentUuid: null, ...common, message: { role: "user", content: title } },
      {
        type: "assistant",
        uuid: `a${number}`,
        parentUuid: `u${number}`,
        ...common,
        message: {
          id: `m${number}`,
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [{ type: "text", text: `done with copper mug ${number}` }],
          usage: { input_tokens: 100, output_tokens: 50 },
        },
      },
    ];
    writeFileSync(join(directory, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return id;
  }
}

export async function rowWith(test: TestDaemon, key: string): Promise<MuxSession> {
  return waitFor(`a row for ${key}`, async () => (await test.sessions()).find(({ resume_key }) => resume_key === key));
}
