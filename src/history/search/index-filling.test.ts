import { appendFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { madeAgent } from "../../../test/support/made-agent.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { Catalog } from "../catalog.ts";
import { SessionManager } from "../manager.ts";
import { CachedStores } from "../cached-stores.ts";
import { MadeHome } from "../testing/made-home.ts";
import type { BuildOptions, BuildResult } from "./index-builder.ts";
import { IndexFilling } from "./index-filling.ts";

const LACKING = [new Catalog(madeAgent("made", []), { home: "/nowhere", platform: "linux", vars: {} })];
const LEFT: BuildResult = { added: 1, removed: 0, unchanged: 0, stopped: "time" };
const WHOLE: BuildResult = { added: 1, removed: 0, unchanged: 3 };

describe("sessions missing from an index", () => {
  it("are all added by a long-running program, and some by others", async () => {
    for (const [stays, pieces] of [
      [true, 4],
      [false, 1],
    ] as const) {
      const { filling, begun } = counted(3, stays);
      filling.found(LACKING);
      filling.answered();
      await filling.idle();
      expect(begun()).toBe(pieces);
    }
  });

  it("wait while a search runs, and are added afterwards", async () => {
    const { filling, begun, asked } = counted(2, true);
    let end = (): void => undefined;
    const search = filling.whileSearching(() => {
      filling.found(LACKING);
      return new Promise<void>((resolve) => (end = resolve));
    });
    await pause(400);
    expect(begun()).toBe(0);
    end();
    await search;
    await filling.idle();
    expect(begun()).toBe(3);
    expect(asked.map(({ isEnough }) => isEnough?.())).toEqual([false, false, false]);
    const other = filling.whileSearching(async () => asked[0]!.isEnough?.());
    expect(await other).toBe(true);
  });

  it("are added by a daemon even if the search was cancelled", async () => {
    const home = tempHome().path;
    const made = new MadeHome(home, 3);
    while (made.count < 12) made.add();
    // Makes all heads be read again once it is indexed.
    appendFileSync(made.claude[0]!, `${JSON.stringify({ type: "summary", summary: "A title", leafUuid: "u1" })}\n`);
    utimesSync(made.claude[0]!, 1_780_000_000, 1_780_000_000);
    const env = { home, platform: "linux", vars: {} } as const;
    const told: string[] = [];
    const manager = new SessionManager(new AgentRegistry(), env, {
      standing: new CachedStores(env, 1000),
      onProblem: ({ message }) => told.push(message),
    });
    const givenUp = new Error("given up");
    const search = manager.search({
      text: "prompt",
      index: "fill",
      onProgress: () => {
        throw givenUp;
      },
    });
    await expect(search).rejects.toBe(givenUp);
    await manager.idle();
    const { agents } = await manager.indexStatus();
    expect(agents.reduce((sum, { current }) => sum + current, 0)).toBe(made.count);
    expect(told).toEqual([]);
  });
});

describe("a failure to fill an index", () => {
  it("is reported once for each cause, and again after a success", async () => {
    const outcomes = ["EACCES", "EACCES", "EMFILE", "EACCES", "space", "space", "busy", "EACCES", "whole", "EACCES"];
    const told: string[] = [];
    const next = async (): Promise<BuildResult> => {
      const outcome = outcomes.shift()!;
      if (outcome.startsWith("E")) throw new Error(`${outcome}: no`);
      return outcome === "whole" ? WHOLE : { ...WHOLE, stopped: outcome as "space" | "busy" };
    };
    const filling = new IndexFilling(next, { stays: true, onProblem: ({ message }) => told.push(message) });
    while (outcomes.length > 0) {
      filling.found(LACKING);
      await filling.idle();
    }
    const noRoom = "There is no room left on the disk for the search index.";
    expect(told).toEqual(["EACCES: no", "EMFILE: no", noRoom, "EACCES: no"]);
  });

  it("is reported to a daemon, whose searches still work", async () => {
    const home = tempHome().path;
    new MadeHome(home, 3).add();
    writeFileSync(join(home, ".agent-mux"), "in the way of a directory");
    const env = { home, platform: "linux", vars: {} } as const;
    const told: string[] = [];
    const manager = new SessionManager(new AgentRegistry(), env, {
      standing: new CachedStores(env, 1000),
      onProblem: ({ message }) => told.push(message),
    });
    for (let time = 0; time < 2; time++) {
      expect(await manager.search({ text: "prompt", index: "fill" })).not.toEqual([]);
      await manager.idle();
    }
    expect(told).toEqual([expect.stringContaining(".agent-mux")]);
  });
});

/** A filling that leaves something over this many times. */
function counted(left: number, stays: boolean): { filling: IndexFilling; begun: () => number; asked: BuildOptions[] } {
  const asked: BuildOptions[] = [];
  const filling = new IndexFilling(
    async (_, options) => {
      asked.push(options);
      await pause(1);
      return asked.length <= left ? LEFT : WHOLE;
    },
    { stays },
  );
  return { filling, begun: () => asked.length, asked };
}
