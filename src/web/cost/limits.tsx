/** Usage limits and budgets in the cost view, of one machine or of all. Shown only where something is known or refused. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { LimitsAnswer } from "../../protocol/limits.ts";
import { agentLabel } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { peers } from "../state/projection.ts";
import { messageOf } from "../ui/notices.ts";
import { BudgetBar, LimitBar, RefusalLine } from "./limit-bars.tsx";
import { EVERYWHERE, HERE } from "./machine-choice.tsx";

/** Agents get new figures with every response; a person looks less often. */
const LOOK_EVERY_MS = 60_000;

interface Machine {
  /** Undefined for this one. */
  peer: string | undefined;
  /** The last figures stay if a later look fails. */
  answer?: LimitsAnswer;
  problem?: string;
}

/** Undefined until the first answer of every machine, so that what is below them can keep its place. */
export function useLimits(machine: string): readonly Machine[] | undefined {
  const known = useSignal<{ machine: string; machines: readonly Machine[] } | null>(null);
  useEffect(() => {
    const names =
      machine === EVERYWHERE
        ? [undefined, ...peers.value.map(({ name }) => name)]
        : [machine === HERE ? undefined : machine];
    let isOver = false;
    let before: readonly Machine[] = [];
    const load = async (): Promise<void> => {
      const machines = await Promise.all(
        names.map((peer) => loaded(peer, before.find((one) => one.peer === peer)?.answer)),
      );
      if (isOver) return;
      before = machines;
      known.value = { machine, machines };
    };
    void load();
    const timer = setInterval(() => void load(), LOOK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [machine]);
  return known.value?.machine === machine ? known.value.machines : undefined;
}

export function Limits({ machine, machines }: { machine: string; machines: readonly Machine[] }): JSX.Element | null {
  const shown = machines.filter(({ answer, problem }) => problem !== undefined || !isEmpty(answer));
  if (shown.length === 0) return null;
  return (
    <section class="limits-of-all" aria-label="Usage limits and budgets">
      {shown.map(({ peer, answer, problem }) => (
        <div key={peer ?? ""}>
          {machine === EVERYWHERE ? <h2>{peer ?? "this machine"}</h2> : null}
          {problem === undefined ? null : <p class="bad">Usage limits: {problem}</p>}
          {answer === undefined ? null : <Known answer={answer} peer={peer} />}
        </div>
      ))}
    </section>
  );
}

async function loaded(peer: string | undefined, before: LimitsAnswer | undefined): Promise<Machine> {
  try {
    return { peer, answer: await api.limits(peer) };
  } catch (error) {
    return { peer, ...(before === undefined ? {} : { answer: before }), problem: messageOf(error) };
  }
}

function isEmpty(answer: LimitsAnswer | undefined): boolean {
  const { limits = [], budgets = [], refusals = [] } = answer ?? {};
  return limits.length + budgets.length + refusals.length === 0;
}

function Known({ answer, peer }: { answer: LimitsAnswer; peer: string | undefined }): JSX.Element {
  const now = Date.now();
  const { limits, budgets, refusals = [], unknown } = answer;
  return (
    <>
      {refusals.map((refusal, at) => (
        <RefusalLine key={at} refusal={refusal} now={now} />
      ))}
      <div class="limits">
        {limits.map((limit, at) => (
          <LimitBar key={at} limit={limit} now={now} peer={peer} />
        ))}
        {budgets.map((budget, at) => (
          <BudgetBar key={at} budget={budget} />
        ))}
      </div>
      {unknown.length === 0 ? null : (
        <details class="muted">
          <summary>Unknown limits</summary>
          <ul>
            {unknown.map(({ agent, hint }) => (
              <li key={agent}>
                {agentLabel(agent)}: {hint}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
