/** A home with some files of a recorded one; each input replaces one of them for a moment. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { AgentMuxError, createClient } from "../../../../src/index.ts";

const agents = fileURLToPath(new URL("../../../../src/agents", import.meta.url));

const homes: string[] = [];
// Not at process exit: test workers are killed.
afterAll(() => homes.forEach((home) => rmSync(home, { recursive: true, force: true })));

export class RecordedCopy {
  readonly files: string[] = [];
  readonly #agent: string;
  readonly #home = mkdtempSync(join(tmpdir(), "amux-torture-"));
  #turn = 0;

  constructor(agent: string, home: string, isPart: (name: string) => boolean, replaced = /./) {
    this.#agent = agent;
    homes.push(this.#home);
    const recorded = join(agents, agent, "fixtures", home);
    for (const entry of readdirSync(recorded, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(recorded, path);
      if (!entry.isFile() || !isPart(name)) continue;
      const copy = join(this.#home, name);
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(path, copy);
      if (replaced.test(name) && statSync(copy).size < 2_000_000) this.files.push(copy);
    }
  }

  async with(input: Buffer): Promise<void> {
    const path = this.files[this.#turn++ % this.files.length]!;
    const original = readFileSync(path);
    writeFileSync(path, input);
    try {
      await readAll(this.#agent, this.#home);
    } finally {
      writeFileSync(path, original);
    }
  }
}

async function readAll(agent: string, home: string): Promise<void> {
  const { sessions } = createClient({ env: { home, platform: "linux", vars: {} } });
  await sessions.search({ text: "the", agent });
  for (const { sessionId } of await sessions.list(agent)) {
    try {
      JSON.parse(await sessions.export(agent, sessionId, "json"));
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
    }
  }
}
