/**
 * The corpus of damaged files: each damage applied to a recorded session of every agent it concerns, then listed, read and
 * reported.
 */
import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AgentRegistry } from "../../src/agents/registry.ts";
import { createClient } from "../../src/index.ts";
import { runJson } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmJson } from "../support/warm-cli.ts";
import type { Damage, Outcome } from "./damaged/damage.ts";
import { DATABASE_DAMAGES } from "./damaged/database-damages.ts";
import { DOCUMENT_DAMAGES } from "./damaged/document-damages.ts";
import { LINE_DAMAGES } from "./damaged/line-damages.ts";
import { PLACE_DAMAGES } from "./damaged/path-damages.ts";
import {
  DATABASE_SESSIONS,
  DOCUMENT_SESSIONS,
  LINE_SESSIONS,
  putRecorded,
  type RecordedSession,
} from "./damaged/recorded-session.ts";

interface Report {
  agent: string;
  sessions: number;
  parsed: number;
  empty: number;
  skipped: { path: string; reason: string }[];
  damagedLines: number;
}

const NOBODY = 65_534;
const NOTHING: Size = { sessions: 0, messages: 0 };
const otherUser = process.getuid?.() === 0 ? { uid: NOBODY } : {};

describe.each([
  { kind: "a file of lines", damages: [...LINE_DAMAGES, ...PLACE_DAMAGES], sessions: LINE_SESSIONS },
  { kind: "a document", damages: DOCUMENT_DAMAGES, sessions: DOCUMENT_SESSIONS },
  { kind: "a database", damages: DATABASE_DAMAGES, sessions: DATABASE_SESSIONS },
])("$kind", ({ damages, sessions }) => {
  test.each(damages)("$name", async (damage) => {
    const concerned = sessions.filter((session) => damage.concerns?.(session) ?? true);
    const { path: home } = tempHome();
    chmodSync(home, 0o755);
    const whole = new Map<string, Size>();
    for (const session of concerned) whole.set(session.agent, await wholeSize(session));
    for (const session of concerned) damage.make(putRecorded(home, session), session, home);

    const reports = damage.asOtherUser
      ? await runJson<Report[]>(["doctor"], { home, ...otherUser })
      : await warmJson<Report[]>(["doctor"], { home, vars: { AMUX_HOME: `${tempHome().path}/amux` } });
    const seen: Record<string, Outcome> = {};
    for (const { agent } of concerned) {
      const report = reports.find((each) => each.agent === agent)!;
      const now = damage.asOtherUser ? NOTHING : await sizeOf(agent, home);
      seen[agent] = outcomeOf(report, now, whole.get(agent)!);
    }
    expect(seen).toEqual(promised(damage, concerned));
  });
});

test("every agent has a session in the corpus", () => {
  const agents = [...LINE_SESSIONS, ...DOCUMENT_SESSIONS, ...DATABASE_SESSIONS].map(({ agent }) => agent);
  expect([...new Set(agents)].sort()).toEqual(new AgentRegistry().names().sort());
});

interface Size {
  sessions: number;
  messages: number;
}

const wholeSizes = new Map<RecordedSession, Size>();

async function wholeSize(session: RecordedSession): Promise<Size> {
  if (!wholeSizes.has(session)) {
    const { path: home } = tempHome();
    putRecorded(home, session);
    wholeSizes.set(session, await sizeOf(session.agent, home));
  }
  return wholeSizes.get(session)!;
}

/** Read in full by the library; the list does not count large sessions. */
async function sizeOf(agent: string, home: string): Promise<Size> {
  const { sessions } = createClient({ env: { home, platform: "linux", vars: {} } });
  const rows = await sessions.list(agent);
  let messages = 0;
  for (const { sessionId } of rows) messages += (await sessions.get(agent, sessionId)).messages.length;
  return { sessions: rows.length, messages };
}

function outcomeOf({ parsed, empty, skipped, damagedLines }: Report, now: Size, whole: Size): Outcome {
  return {
    sessions: parsed === whole.sessions ? "all" : parsed === 0 ? "none" : "other",
    messages: messagesOf(now, whole),
    empty,
    damaged: damagedLines > 0,
    skipped: skipped.map(({ reason }) => reason).join("; "),
  };
}

/** One record can be up to this many messages: a reply, its calls and their results. */
const A_FEW = 4;

function messagesOf(now: Size, whole: Size): Outcome["messages"] {
  if (now.messages === whole.messages) return "all";
  if (now.messages === 0) return "none";
  return now.messages < whole.messages && now.messages >= whole.messages - A_FEW ? "all but a few" : "other";
}

function promised({ promise, exceptions = {} }: Damage, sessions: readonly RecordedSession[]): Record<string, unknown> {
  return Object.fromEntries(
    sessions.map(({ agent }) => {
      const outcome = { ...promise, ...exceptions[agent] };
      return [agent, { ...outcome, skipped: expect.stringMatching(outcome.skipped === "" ? /^$/ : outcome.skipped) }];
    }),
  );
}
