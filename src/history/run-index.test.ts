import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { readRunIndex, type RunIndex } from "./run-index.ts";

function index(text: string, projectText?: string): RunIndex {
  const home = tempHome();
  home.write(".agent-mux/run-index.jsonl", text);
  if (projectText !== undefined) home.write("project/.agent-mux/run-index.jsonl", projectText);
  const env = { home: home.path, platform: "linux", vars: {} } as const;
  return readRunIndex(env, projectText === undefined ? undefined : `${home.path}/project/.agent-mux`);
}

const line = (fields: object): string => `${JSON.stringify({ v: 1, runId: "r", agent: "made", ...fields })}\n`;

describe("the run index", () => {
  it("is empty where nothing was ever run", () => {
    const env = { home: tempHome().path, platform: "linux", vars: {} } as const;
    expect(readRunIndex(env)).toMatchObject({ runs: [], skipped: 0 });
    expect(readRunIndex(env).of("made", "s")).toEqual([]);
  });

  it("is read whole", () => {
    const { runs } = index(
      line({
        sessionId: "s",
        model: "m",
        timestamp: "2026-06-01T12:00:00Z",
        tags: ["a", 7, "b"],
        cost: {
          totalUsd: 1.5,
          inputTokens: 10,
          outputTokens: 20,
          thinkingTokens: 3,
          cachedTokens: 4,
          cacheWriteTokens: 5,
        },
      }),
    );
    expect(runs).toEqual([
      {
        runId: "r",
        agent: "made",
        sessionId: "s",
        model: "m",
        at: Date.parse("2026-06-01T12:00:00Z"),
        tags: ["a", "b"],
        cost: {
          totalUsd: 1.5,
          inputTokens: 10,
          outputTokens: 20,
          thinkingTokens: 3,
          cachedTokens: 4,
          cacheWriteTokens: 5,
          cacheWrite1hTokens: 0,
          kind: "reported",
        },
      },
    ]);
  });

  it("skips torn, foreign and newer lines, and counts them", () => {
    const { runs, skipped } = index(
      `${line({ runId: "1" })}\n\nnot json\n[]\n${line({ v: 2, runId: "2" })}${line({ runId: 5 })}${line({ runId: "3" }).slice(0, 20)}`,
    );
    expect(runs.map((run) => run.runId)).toEqual(["1"]);
    expect(skipped).toBe(5);
  });

  it("ignores impossible costs", () => {
    const { runs } = index(line({ cost: { totalUsd: -1 } }) + line({ runId: "q", cost: "free" }));
    expect(runs.map((run) => run.cost)).toEqual([undefined, undefined]);
  });

  it("uses the last line of a run, and the project's before the home's", () => {
    const { runs } = index(
      line({ tags: ["first"] }) + line({ tags: ["second"] }) + line({ runId: "q", tags: ["home"] }),
      line({ runId: "q", tags: ["project"] }),
    );
    expect(runs.map((run) => run.tags)).toEqual([["second"], ["project"]]);
  });

  it("finds the runs of a session, of its agent only", () => {
    const runs = index(
      line({ runId: "1", sessionId: "s" }) +
        line({ runId: "2", sessionId: "s" }) +
        line({ runId: "3", sessionId: "s", agent: "other" }) +
        line({ runId: "4" }),
    );
    expect(runs.of("made", "s").map((run) => run.runId)).toEqual(["1", "2"]);
    expect(runs.of("other", "s").map((run) => run.runId)).toEqual(["3"]);
  });
});
