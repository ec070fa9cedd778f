/** The manifests of agents that were recorded with `test/run/real-agents/record`, and the tests that they have in common. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  addTokens,
  expectReportAddsUp,
  fixturesOf,
  manifestOf,
  openRecordedHome,
  saidTwice,
  tokensOf,
  type Figures,
  type RecordedHome,
  type Tokens,
} from "./recorded-home.ts";

/** One answer of the model service. */
interface Served {
  model: string;
  input: number;
  cached: number;
  output: number;
  thinking: number;
  /** The status of a refusal. */
  refuse?: number;
  /** It never ended, and was not billed. */
  stall?: boolean;
  /** The agent writes nothing about it. */
  unrecorded?: boolean;
  /** Only the session's total has its tokens, without saying which were cached. */
  totalOnly?: boolean;
}

export interface ServedSession {
  scenario: string;
  sessionId: string;
  cwd?: string;
  title: string;
  forkedFrom?: string;
  /** The session whose sub-agent it is; that one's figures include it. */
  parentId?: string;
  inherited?: string[];
  prompts: string[];
  /** Prompts that were taken back. */
  rewound?: string[];
  turns: number;
  replies: string[];
  tools: string[];
  served: Served[];
  costUsd: number;
}

export interface ServedOptions {
  /** What the agent does not record of the service's figures. */
  recorded?: (tokens: Tokens) => Tokens;
  /** Sessions of which the agent leaves nothing. */
  lost?: readonly string[];
}

export function servedManifest(agent: string, options: ServedOptions = {}): void {
  const { sessions: all } = manifestOf(agent) as { sessions: ServedSession[] };
  const sessions = all.filter(({ scenario }) => !options.lost?.includes(scenario));
  const HOME = join(fixturesOf(agent), "home");
  const recorded = options.recorded ?? ((tokens: Tokens) => tokens);

  const billed = ({ served }: ServedSession): Served[] =>
    served.filter(({ refuse, stall, unrecorded }) => !refuse && !stall && !unrecorded);
  const tokens = (session: ServedSession): Tokens =>
    recorded(
      addTokens(
        billed(session).map(({ input, cached, output, thinking, totalOnly }) => {
          const counts = { cacheWrite: 0, output: output + thinking };
          return totalOnly
            ? { ...counts, input: input + cached, cached: 0, thinking: 0 }
            : { ...counts, input, cached, thinking };
        }),
      ),
    );

  const figuresOf = (session: ServedSession): Omit<Figures, "kind"> => {
    const { title, cwd, forkedFrom, parentId, prompts, inherited = [], turns, replies, tools } = session;
    return {
      title: title.replaceAll("\n", " "),
      ...(cwd === undefined ? {} : { cwd }),
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      ...(parentId === undefined ? {} : { parentId }),
      archived: false,
      prompts,
      inherited,
      turns,
      replies: replies.length,
      tools,
      results: tools.length,
      models: replies.length === 0 ? [] : [...new Set(billed(session).map(({ model }) => model))],
      tokens: tokens(session),
    };
  };

  describe(`${agent}'s recorded home`, () => {
    let home: RecordedHome;

    beforeAll(async () => {
      home = await openRecordedHome(agent, HOME);
    });

    it("lists the recorded sessions and nothing else", () => {
      expect([...home.rows.keys()].sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
    });

    it.each(sessions)("$scenario has what was typed and served", async (session) => {
      const { kind: _, usd: _usd, ...figures } = await home.figures(session.sessionId);
      expect(figures).toEqual(figuresOf(session));
      const { messages } = await home.session(session.sessionId);
      const said = messages.filter(({ role, inherited }) => role === "assistant" && !inherited);
      expect(said.map(({ content }) => content)).toEqual(session.replies);
    });

    it.each(sessions)("$scenario costs what was served, to the micro-dollar", ({ sessionId, costUsd }) => {
      expect(home.rows.get(sessionId)!.cost?.totalUsd ?? 0).toBeCloseTo(costUsd, 7);
    });

    it("reports the cost of every request once", () => {
      expectReportAddsUp(home);
      expect(tokensOf(home.report)).toEqual(
        addTokens(sessions.filter(({ parentId }) => parentId === undefined).map(tokens)),
      );
    });

    it("the list, the session and the library agree", async () => {
      for (const { list, full } of await saidTwice(agent, HOME, home)) expect(full).toEqual(list);
    });
  });
}
