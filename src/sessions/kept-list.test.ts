/** A list is the same whether its text was kept or not, whatever happens in between. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient } from "../index.ts";
import { SETTLING_MS } from "../lib/directory.ts";
import type { SessionListOptions } from "./options.ts";
import { MadeHome } from "./testing/made-home.ts";
import { needsLinux } from "../../test/support/needs.ts";

/** Fewer are listed sooner than asked about. */
const SESSIONS = 90;
const ALL: SessionListOptions = { limit: 1000, counts: true };

async function clientOn(home: string, onListing: () => void): Promise<AgentMuxClient> {
  const client = createClient({ env: { home, platform: "linux", vars: {} } });
  const adapter = await client.adapters.get("claude");
  const history = adapter.history!;
  client.adapters.register({
    ...adapter,
    history: { ...history, listSessions: (env, notes) => (onListing(), history.listSessions(env, notes)) },
  });
  return client;
}

class Lists {
  readonly home = tempHome();
  readonly made = new MadeHome(this.home.path, 5);
  listings = 0;

  constructor() {
    while (this.made.count < SESSIONS) this.made.add();
  }

  /** A change that is only a moment old may be followed by another one that does not show. */
  async rest(): Promise<void> {
    const newest = Math.max(...[...this.made.claude, ...this.made.codex].map((path) => statSync(path).ctimeMs));
    while (Date.now() - newest <= 3 * SETTLING_MS) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async ask(index: "fill" | "none", options = ALL): Promise<string> {
    const client = await clientOn(this.home.path, () => this.listings++);
    return String(await client.sessions.listText(undefined, { ...options, index }));
  }

  /** Asks as it is asked every day, and tells whether the text had been kept. */
  async asked(options = ALL): Promise<"kept" | "made" | "wrong"> {
    const truth = await this.ask("none", options);
    this.listings = 0;
    if ((await this.ask("fill", options)) !== truth) return "wrong";
    return this.listings === 0 ? "kept" : "made";
  }

  keptIn(): string[] {
    const directory = join(this.home.path, ".agent-mux/index-lists");
    return readdirSync(directory).map((name) => join(directory, name));
  }
}

describe("the text of a list", needsLinux, () => {
  it("is kept until something changes", async () => {
    const lists = new Lists();
    await lists.rest();
    expect(await lists.asked()).toBe("made");
    expect(await lists.asked()).toBe("kept");
    expect(await lists.asked({ limit: 3, counts: false })).toBe("made");
    for (let change = 0; change < 6; change++) {
      lists.made.change();
      await lists.rest();
      expect(await lists.asked()).toBe("made");
      expect(await lists.asked()).toBe("kept");
    }
  });

  it("is made anew when a store of another agent appears, or prices change", async () => {
    const lists = new Lists();
    await lists.rest();
    await lists.asked();
    const prices = join(lists.home.path, ".agent-mux/prices.json");
    writeFileSync(prices, JSON.stringify({ "claude-opus-5": { input: 1, output: 1 } }));
    expect(await lists.asked()).toBe("made");
    expect(await lists.asked()).toBe("kept");
    const other = join(lists.home.path, ".gemini/tmp/0123/chats/session-1.json");
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, "{}");
    expect(await lists.asked()).toBe("made");
    expect(await lists.asked()).toBe("made");
  });

  it("is not kept when a session could not be read for a moment", async () => {
    const lists = new Lists();
    await lists.rest();
    const truth = await lists.ask("none", { limit: 1000, counts: false });
    const client = await clientOn(lists.home.path, () => undefined);
    const adapter = await client.adapters.get("claude");
    const summarize = (): never => {
      throw new Error("EMFILE: too many open files, open");
    };
    client.adapters.register({ ...adapter, history: { ...adapter.history!, summarize } });
    const options = { limit: 1000, counts: false, index: "fill" as const };
    expect(String(await client.sessions.listText(undefined, options))).not.toBe(truth);
    expect(await lists.asked({ limit: 1000, counts: false })).toBe("made");
    expect(await lists.asked({ limit: 1000, counts: false })).toBe("kept");
  });

  it("is not used when it is damaged", async () => {
    const lists = new Lists();
    await lists.rest();
    await lists.asked();
    for (const path of lists.keptIn()) writeFileSync(path, "0000\n{}\n[]\n");
    expect(await lists.asked()).toBe("made");
    expect(await lists.asked()).toBe("kept");
  });

  it("is kept of a few questions only", async () => {
    const lists = new Lists();
    await lists.rest();
    for (let limit = 1; limit < 14; limit++) await lists.ask("fill", { limit, counts: false });
    expect(lists.keptIn().length).toBeLessThan(10);
  });
});
