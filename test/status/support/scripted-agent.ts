/**
 * A simulated agent with its true state at every moment. Hooks come late and some are lost; a cancelled turn, a refused dialog
 * and a crash have none.
 */
import type { State } from "../../../src/core/state.ts";
import type { Observation } from "../../../src/status/evidence.ts";

/** A seeded generator, so that a failure can be repeated. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Life {
  /** The agent's real states with their start. */
  truth: { at: number; state: State }[];
  seen: Observation[];
}

const LOST_HOOKS = 0.03;

export function liveFor(durationMs: number, seed: number): Life {
  const random = numbersFrom(seed);
  const between = (low: number, high: number): number => low + random() * (high - low);
  const truth: Life["truth"] = [];
  const seen: Observation[] = [];
  let now = 0;
  let session = 1;
  let asks = 0;

  const is = (state: State): void => {
    truth.push({ at: now, state });
    seen.push({ source: "agent", state, at: now + between(0, 150) });
  };
  const hook = (state: State, more: Partial<Observation> = {}): void => {
    if (random() < LOST_HOOKS) return;
    seen.push({ source: "hook", state, at: now + between(30, 400), session: `s${session}`, ...more });
  };
  const work = (low: number, high: number): void => {
    const end = now + between(low, high);
    // The animation in the title, about once a second.
    for (let frame = now + 900; frame < end; frame += 950) seen.push({ source: "agent", state: "working", at: frame });
    now = end;
  };
  /** False: it was refused, which ends the turn. */
  const dialog = (scope?: string): boolean => {
    const ask = { ask: `a${asks++}`, ...(scope === undefined ? {} : { scope }) };
    is("permission");
    hook("permission", { ...ask, message: "may I" });
    now += between(800, 60_000);
    if (random() < 0.2) return false;
    is("working");
    work(200, 90_000);
    hook("working", ask);
    return true;
  };

  const turn = (): void => {
    is("working");
    hook("working", { begins: true });
    const steps = 1 + Math.floor(random() * 6);
    for (let step = 0; step < steps; step++) {
      work(500, 9000);
      const kind = random();
      if (kind < 0.35) hook("working", { ask: `t${step}` });
      else if (kind < 0.6) {
        if (!dialog()) return is("idle");
      } else if (kind < 0.75) {
        hook("working", { scope: "h" });
        work(1000, 20_000);
        if (random() < 0.5 && !dialog("h")) return is("idle");
        hook("stopped", { scope: "h" });
      } else if (kind < 0.85) {
        hook("working", { label: "compacting" });
        work(2000, 15_000);
        hook("working");
      } else if (kind < 0.92) return is("idle");
      else if (kind < 0.96) {
        is("error");
        return hook("error", { message: "overloaded" });
      }
    }
    is("done");
    hook("done");
  };

  is("idle");
  hook("idle", { begins: true });
  while (now < durationMs) {
    now += between(1500, 30_000);
    const kind = random();
    if (kind < 0.8) turn();
    else if (kind < 0.9) {
      session++;
      is("idle");
      hook("idle", { begins: true });
    } else {
      // A background shell has ended and wakes the agent without a prompt.
      is("working");
      work(500, 8000);
      is("done");
      hook("done");
    }
  }
  return { truth, seen: seen.sort((a, b) => a.at - b.at) };
}
