/** One session opened for reading: facts at once, messages as a stream. */
import { tallyOf } from "../agents/in-memory.ts";
import type { SessionSource } from "../agents/adapter.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import type { CostRecord } from "../core/cost.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { Session, SessionMessage } from "../core/session.ts";
import { figuresOf } from "../core/tokens.ts";
import { optional } from "../lib/values/optional.ts";
import { priceUsage } from "../models/price-request.ts";
import type { Catalog } from "./catalog.ts";
import { accountsOf } from "./cost/account.ts";
import { costOf } from "./cost/cost-item.ts";
import { settle, type Ledger } from "./cost/ledger.ts";
import { noteIn, noteView } from "./note.ts";
import { withoutUnknownCost } from "./export/json.ts";
import type { SessionView } from "./session-view.ts";
import { exactSummary, sessionCosts, type SummaryContext } from "./summary.ts";

export async function openView(catalog: Catalog, sessionId: string, context: SummaryContext): Promise<SessionView> {
  const agent = catalog.adapter.name;
  const source = catalog.source(sessionId);
  if (!source) {
    const note = noteIn(catalog, sessionId);
    if (note === undefined) throw notFound(catalog, sessionId);
    return noteView(agent, sessionId, note);
  }
  const reader = catalog.adapter.history!.read(source, catalog.env, catalog.notes);
  if (!reader) throw new AgentMuxError("SESSION_NOT_FOUND", `${source.path} holds no conversation.`);
  const tellsOrigin = reader.head.forkedFrom !== undefined;
  // The reader has read the whole session, so its counts are known.
  catalog.adopt(sessionId, tallyOf(reader));
  await catalog.resolveForks([sessionId]);
  const tallies = await catalog.tallies([sessionId]);
  const tally = tallies.get(sessionId);
  if (!tally) throw new AgentMuxError("PARSE_ERROR", `${source.path} could not be read as a whole.`);
  const forkedFrom = (await catalog.entries()).get(sessionId)?.head.forkedFrom;
  if (forkedFrom !== undefined) tally.head.forkedFrom = forkedFrom;
  const ledger = settle(agent, tallies, context.prices);
  const accounts = accountsOf(tallies, context.prices);
  const cost = sessionCosts(accounts, await catalog.related(), context.runs, agent)(sessionId);
  const price = messagePricer(ledger, context);
  const aside = reader.aside?.();
  const parent = tellsOrigin || forkedFrom === undefined ? undefined : catalog.source(forkedFrom);
  return {
    source,
    ...optional("commit", reader.head.commit),
    summary: exactSummary(agent, source, tally, cost, context),
    messages: () => priced(parent ? copiesMarked(reader.messages(), catalog, parent) : reader.messages(), price),
    ...(aside ? { aside: { count: aside.count, messages: () => priced(aside.messages(), price) } } : {}),
    subagents: () =>
      (reader.subagents?.() ?? []).map((helper) => ({ ...helper, messages: [...priced(helper.messages, price)] })),
    raw: () => reader.raw(),
    ...optional("copyUpTo", reader.copyUpTo),
    ...optional("promptAfter", reader.promptAfter),
  };
}

/** A fork without a pointer begins with its parent's messages, word for word: those are copies. */
function* copiesMarked(
  messages: Iterable<SessionMessage>,
  catalog: Catalog,
  parent: SessionSource,
): Generator<SessionMessage> {
  const { adapter, env } = catalog;
  const originals = asFarAsReadable(() => adapter.history!.read(parent, env, new ReadNotes(), "text")?.messages());
  let isCopy = true;
  try {
    for (const message of messages) {
      if (isCopy) {
        const twin = originals.next();
        isCopy = twin.done !== true && saysTheSame(message, twin.value);
        // Its file stays open until then.
        if (!isCopy) originals.return();
      }
      yield isCopy ? { ...message, inherited: true } : message;
    }
  } finally {
    originals.return();
  }
}

/** A fork is shown even if its parent is gone or damaged. */
function* asFarAsReadable(open: () => Iterable<SessionMessage> | undefined): Generator<SessionMessage, void> {
  try {
    yield* open() ?? [];
  } catch {
    // Unreadable parts are reported when the parent itself is opened.
  }
}

function saysTheSame(a: SessionMessage, b: SessionMessage): boolean {
  return a.role === b.role && a.content === b.content && a.timestamp?.getTime() === b.timestamp?.getTime();
}

/** For an unreadable database it is unknown which sessions are missing. */
export function notFound(catalog: Catalog, sessionId: string): AgentMuxError {
  const { adapter, notes } = catalog;
  // Listing first, since it notes the database.
  const isEmpty = catalog.ids().length === 0;
  const [broken] = notes.skipped;
  if (adapter.capabilities.sessionPersistence === "sqlite" && broken !== undefined && isEmpty) {
    return new AgentMuxError("PARSE_ERROR", `${broken.path} cannot be read (${broken.reason}).`);
  }
  return new AgentMuxError("SESSION_NOT_FOUND", `No ${adapter.name} session has the id "${sessionId}".`);
}

/** The whole session in memory. `raw` is read on first access. */
export function toSession(view: SessionView): Session {
  const { partial: _, relevanceScore: __, ...facts } = withoutUnknownCost(view.summary);
  const subagents = view.subagents();
  const session: Session = {
    ...facts,
    messages: [...view.messages()],
    ...(subagents.length > 0 ? { subagents } : {}),
  };
  let raw: unknown;
  Object.defineProperty(session, "raw", {
    configurable: true,
    // Not enumerable: serialized sessions must not include the native records.
    enumerable: false,
    get: () => (raw ??= view.raw()),
  });
  return session;
}

type Pricer = (message: SessionMessage) => CostRecord | undefined;

function* priced(messages: Iterable<SessionMessage>, price: Pricer): Generator<SessionMessage> {
  for (const message of messages) {
    const cost = message.tokenUsage ? price(message) : undefined;
    yield cost ? { ...message, cost } : message;
  }
}

/**
 * A message's cost is its request's ledger entry, found by time and size. Without an entry, or if another session owns the
 * request, it is priced by its tokens.
 */
function messagePricer(ledger: Ledger, { prices }: SummaryContext): Pricer {
  const entries = new Map(
    ledger.entries.map((entry) => [identity(entry.at, entry.tokens.input, entry.tokens.output), entry]),
  );
  return ({ tokenUsage, timestamp, model }) => {
    if (!tokenUsage) return undefined;
    const entry = entries.get(identity(timestamp?.getTime(), tokenUsage.inputTokens, tokenUsage.outputTokens));
    if (entry) return costOf([{ ...entry, subagent: undefined }]);
    const tokens = {
      input: tokenUsage.inputTokens,
      output: tokenUsage.outputTokens,
      thinking: tokenUsage.thinkingTokens ?? 0,
      cached: tokenUsage.cachedTokens ?? 0,
      cacheWrite: tokenUsage.cacheWriteTokens ?? 0,
      cacheWrite1h: tokenUsage.cacheWrite1hTokens ?? 0,
    };
    const usage = {
      tokens,
      ...(model !== undefined ? { model } : {}),
      ...(timestamp ? { at: timestamp.getTime() } : {}),
    };
    const { nanoUsd, kind } = priceUsage(usage, prices);
    return { totalUsd: nanoUsd / 1e9, ...figuresOf(tokens), kind };
  };
}

function identity(at: number | undefined, input: number, output: number): string {
  return `${at ?? ""}:${input}:${output}`;
}
