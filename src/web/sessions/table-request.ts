/** Loads past sessions of all machines: first the fast fields, then counts and costs. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FleetMachine } from "../../protocol/fleet.ts";
import { api } from "../state/api.ts";
import { connection, grown, peers } from "../state/projection.ts";
import { messageOf } from "../ui/notices.ts";
import type { Listed } from "./rows.ts";

/** No limit. */
const ALL = 999_999_999;
/** A session that is being written changes all the time. */
const AGAIN_MS = 5000;

export const listed = signal<readonly Listed[]>([]);
export const state = signal<"reading" | "counting" | "done" | "failed">("reading");
export const problem = signal("");
/** Machines that did not answer. */
export const silent = signal<readonly FleetMachine[]>([]);

let reload: (() => Promise<void>) | undefined;

/** After a change that no event reports. */
export async function loadAgain(): Promise<void> {
  await reload?.();
}

export function useListed(): void {
  const machines = peers.value.map(({ name }) => name).join(" ");
  const isLive = connection.value === "live";
  useEffect(() => (isLive ? keepListed(machines !== "") : undefined), [isLive, machines]);
}

/** Runs until the returned function is called. */
export function keepListed(isFleet: boolean): () => void {
  const leaving = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const loadLater = (): void => {
    timer ??= setTimeout(() => ((timer = undefined), void load()), AGAIN_MS);
  };
  let [loads, shown] = [0, 0];
  const load = async (): Promise<void> => {
    const number = ++loads;
    /** An answer can come after that of a later load, and is older. */
    const show = (sessions: Listed[], after: "counting" | "done"): void => {
      if (number < shown) return;
      shown = number;
      listed.value = sessions;
      state.value = after;
    };
    try {
      if (listed.peek().length === 0) {
        state.value = "reading";
        show(await ask(false, isFleet, leaving.signal), "counting");
      }
      show(await ask(true, isFleet, leaving.signal), "done");
    } catch (error) {
      if (leaving.signal.aborted || number < shown) return;
      problem.value = messageOf(error);
      state.value = "failed";
      loadLater();
    }
  };
  reload = load;
  void load();
  const unsubscribe = grown.subscribe((conversation) => {
    if (conversation !== null && state.peek() === "done") loadLater();
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    leaving.abort();
  };
}

async function ask(counts: boolean, isFleet: boolean, leaving: AbortSignal): Promise<Listed[]> {
  if (!isFleet) return api.history({ limit: ALL, counts }, undefined, leaving);
  const { sessions, machines } = await api.fleetHistory({ limit: ALL, counts }, leaving);
  silent.value = machines.filter(({ error }) => error !== undefined);
  // A session that is also on this machine is opened here.
  return sessions.map((one) => ({ ...one, peer: one.machines.includes("") ? undefined : one.machines[0] }));
}
