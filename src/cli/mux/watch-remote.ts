/** Polls a remote session. Its machine may become unreachable and return. */
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { SessionMeta } from "../../protocol/runner-api.ts";
import type { Output } from "../output.ts";
import { ENDED_BEFORE, type Watched } from "./wait-conditions.ts";
import { askDaemon, askDaemonRaw, chooseRemote } from "./remote.ts";

/** Slower, because it goes over a network. */
const LOOK_EVERY_MS = 1000;

export async function watchRemote(ref: string, output: Output): Promise<Watched> {
  const { id } = await chooseRemote(ref);
  const patience = new Patience(output);
  return {
    text: () =>
      patience.with("", async () => {
        const path = `/v1/sessions/${id}/text?lines=1000`;
        return (await askDaemonRaw({ method: "GET", path })).body.toString("utf8");
      }),
    meta: () =>
      patience.with(BUSY, async () => {
        const { meta, now } = await askDaemon<{ meta: unknown; now: string }>("GET", `/v1/sessions/${id}/account`);
        return byOurClock(SessionMeta.parse(meta), Date.now() - Date.parse(now));
      }),
    exited: async () => {
      // The local daemon learns of the end by itself.
      const row = (await askDaemon<MuxSession[]>("GET", "/v1/sessions")).find((session) => session.id === id);
      if (row === undefined) return ENDED_BEFORE;
      return row.alive ? undefined : (row.exit_code ?? ENDED_BEFORE);
    },
    lookEveryMs: LOOK_EVERY_MS,
  };
}

/** While its machine is unreachable the state is unknown; so it is not idle. */
const BUSY = { alive: true, status: { label: "", working: true } } as SessionMeta;

/** Clocks differ; ages are the same everywhere. */
function byOurClock(meta: SessionMeta, aheadMs: number): SessionMeta {
  const shifted = (moment: string): string => new Date(Date.parse(moment) + aheadMs).toISOString();
  const { started_at, last_activity_at, last_input_at, reports, state } = meta;
  return {
    ...meta,
    started_at: shifted(started_at),
    ...optional("last_activity_at", last_activity_at && shifted(last_activity_at)),
    ...optional("state", state && { ...state, since: shifted(state.since) }),
    ...optional("last_input_at", last_input_at && shifted(last_input_at)),
    reports: reports.map((report) => ({ ...report, ...optional("at", report.at && shifted(report.at)) })),
  };
}

class Patience {
  readonly #output: Output;
  #isOut = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Undefined if the session has ended, `meanwhile` while its machine is unreachable. */
  async with<Value>(meanwhile: Value, look: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await look();
      this.#isOut = false;
      return value;
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (error.code === "SESSION_NOT_FOUND" || error.code === "INVALID_STATE_TRANSITION") return undefined;
      if (error.code !== "TIMEOUT") throw error;
      if (!this.#isOut) this.#output.note(error.message);
      this.#isOut = true;
      return meanwhile;
    }
  }
}
