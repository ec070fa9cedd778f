/** With `PI_CODING_AGENT_DIR` two agents share a folder: each file belongs to one of them. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ReadNotes } from "./read-notes.ts";
import { AgentRegistry } from "./registry.ts";
import { madeHome } from "../../test/support/agents/made-home.ts";
import { answer, header, lines, user } from "../../test/support/agents/made-trees.ts";

const registry = new AgentRegistry();
const programs = { pi: await registry.get("pi"), omp: await registry.get("omp") };
const FOLDER = { PI_CODING_AGENT_DIR: "$HOME/both" };
const START = "2026-11-15T10-00-00-000Z";

function listed(agent: keyof typeof programs, env: ReturnType<typeof madeHome>): string[] {
  const sources = programs[agent].history!.listSessions(env, new ReadNotes());
  return sources.map(({ path }) => path.slice(join(env.home, "both", "sessions").length + 1)).sort();
}

describe("a folder that Pi and omp share", () => {
  it("gives each recorded session to the program that wrote it, and loses none", () => {
    const env = madeHome({}, FOLDER);
    for (const agent of ["pi", "omp"] as const) {
      const recorded = join(import.meta.dirname, agent, "fixtures/home", `.${agent}`, "agent/sessions");
      cpSync(recorded, join(env.home, "both", "sessions"), { recursive: true });
    }
    expect({ pi: listed("pi", env).length, omp: listed("omp", env).length }).toEqual({ pi: 21, omp: 18 });
    expect(listed("pi", env).filter((path) => listed("omp", env).includes(path))).toEqual([]);
  });

  const talk = [user("a", null, 1, "hello"), answer("b", "a", 2, "hi", 10)];
  const change = { type: "model_change", id: "m", parentId: null };
  const signs = {
    "a title slot": ["omp", { type: "title", v: 1, title: "" }, header("x")],
    "a title in the header": ["omp", header("x", { title: "Named", titleSource: "user" })],
    "the model as provider/id": ["omp", header("x"), { ...change, model: "anthropic/claude-sonnet-4-5" }],
    "the model beside its provider": ["pi", header("x"), { ...change, provider: "anthropic", modelId: "sonnet" }],
    "no sign at all": ["pi", header("x")],
    "a header that is lost": ["pi", { type: "sess" }],
  } as const;

  it.each(Object.entries(signs))("decides by %s", (_what, [owner, ...opening]) => {
    const path = `both/sessions/--srv-shop--/${START}_x.jsonl`;
    const env = madeHome({ [path]: lines([...opening, ...talk]) }, FOLDER);
    const owners = (["pi", "omp"] as const).filter((agent) => listed(agent, env).length > 0);
    expect(owners).toEqual([owner]);
  });

  it("belongs to Pi alone when only Pi is configured to use it", () => {
    const slot = { type: "title", v: 1, title: "" };
    const files = {
      [`chosen/${START}_omp.jsonl`]: lines([slot, header("omp"), ...talk]),
      [`chosen/${START}_pi.jsonl`]: lines([header("pi"), ...talk]),
    };
    const env = madeHome(files, { PI_CODING_AGENT_SESSION_DIR: "$HOME/chosen" });
    const ids = programs.pi.history!.listSessions(env, new ReadNotes()).map(({ sessionId }) => sessionId);
    expect(ids).toEqual(["pi"]);
  });
});
