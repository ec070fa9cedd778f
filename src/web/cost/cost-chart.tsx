/** Cost over time as stacked bars, one colour per agent. A bar shows its figures, and opens its sessions. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { agentLabel } from "../state/agents.ts";
import { isDark } from "../state/preferences.ts";
import { areaColour, colourOf } from "../ui/agent-colours.ts";
import { money } from "../ui/figures.ts";
import { periodName, scaleOf, shortName, type Period, type Unit } from "./periods.ts";

/** As many labels as fit below the bars of a phone. */
const MAX_LABELS = 5;

export interface CostChartProps {
  unit: Unit;
  periods: readonly Period[];
  /** Key of the chosen period. */
  chosen: string;
  /** Agents that are left out. */
  hidden: ReadonlySet<string>;
  onChoose(key: string): void;
  onToggle(agent: string): void;
}

export function CostChart({ unit, periods, chosen, hidden, onChoose, onToggle }: CostChartProps): JSX.Element {
  const pointed = useSignal<number | null>(null);
  /** The one bar that the tab key reaches; the arrow keys go on from there. */
  const current = useSignal(periods.length - 1);
  const bars = useRef<HTMLDivElement>(null);
  const dark = isDark();
  const agents = [...new Set(periods.flatMap(({ usd }) => [...usd.keys()]))].sort();
  const shown = agents.filter((agent) => !hidden.has(agent));
  const colours = new Map(agents.map((agent) => [agent, areaColour(colourOf(agent), dark)]));
  const sums = periods.map(({ usd }) => shown.reduce((sum, agent) => sum + (usd.get(agent) ?? 0), 0));
  const lines = scaleOf(Math.max(0, ...sums));
  const top = lines.at(-1)!;
  const at = Math.max(0, Math.min(current.value, periods.length - 1));
  const move = (to: number): void => {
    current.value = Math.max(0, Math.min(periods.length - 1, to));
    (bars.current?.children[current.value] as HTMLElement | undefined)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: periods.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  const shares = (period: Period): [agent: string, usd: number][] =>
    shown.flatMap((agent): [string, number][] => {
      const usd = period.usd.get(agent) ?? 0;
      return usd > 0 ? [[agent, usd]] : [];
    });
  return (
    <figure class="plot">
      <div class="plot-area">
        <div class="plot-lines" aria-hidden="true">
          {lines.map((value) => (
            <span key={value} style={{ bottom: `${(100 * value) / top}%` }}>
              <i>{money(value)}</i>
            </span>
          ))}
        </div>
        <div
          ref={bars}
          class="plot-bars"
          role="group"
          aria-label={`Cost by ${unit}`}
          onKeyDown={onKeyDown}
          onPointerLeave={() => (pointed.value = null)}
        >
          {periods.map((period, index) => (
            <button
              key={period.key}
              type="button"
              class="plot-bar"
              tabIndex={index === at ? 0 : -1}
              aria-pressed={period.key === chosen}
              aria-label={[
                `${periodName(period.key, unit)}: ${money(sums[index]!)}`,
                ...shares(period).map(([agent, usd]) => `${agentLabel(agent)} ${money(usd)}`),
              ].join(", ")}
              onPointerEnter={() => (pointed.value = index)}
              onFocus={() => {
                pointed.value = index;
                current.value = index;
              }}
              onBlur={() => (pointed.value = null)}
              onClick={() => onChoose(period.key)}
            >
              {shares(period).map(([agent, usd]) => (
                <span
                  key={agent}
                  style={{ height: `${(100 * usd) / top}%`, background: colours.get(agent) ?? "currentColor" }}
                />
              ))}
            </button>
          ))}
        </div>
        {pointed.value === null || periods[pointed.value] === undefined ? null : (
          <div
            class={`plot-tip ${pointed.value > periods.length / 2 ? "left" : ""}`}
            aria-hidden="true"
            style={{
              [pointed.value > periods.length / 2 ? "right" : "left"]: `${offset(pointed.value, periods.length)}%`,
            }}
          >
            <strong>{periodName(periods[pointed.value]!.key, unit)}</strong>
            <span class="tip-row total-row">
              <span>total</span> {money(sums[pointed.value]!)}
            </span>
            {shares(periods[pointed.value]!).map(([agent, usd]) => (
              <span key={agent} class="tip-row">
                <span>
                  <span class="swatch" style={{ background: colours.get(agent) ?? "" }} /> {agentLabel(agent)}
                </span>
                {money(usd)}
              </span>
            ))}
          </div>
        )}
      </div>
      <div class="plot-days" aria-hidden="true">
        {labelsOf(periods, unit).map(([index, label]) => (
          <span key={label} style={{ left: `${(100 * (index + 0.5)) / periods.length}%` }}>
            {label}
          </span>
        ))}
      </div>
      <figcaption class="legend">
        {agents.map((agent) => (
          <button
            key={agent}
            type="button"
            class="quiet small"
            aria-pressed={!hidden.has(agent)}
            onClick={() => onToggle(agent)}
          >
            <span class="swatch" style={{ background: colours.get(agent) ?? "" }} /> {agentLabel(agent)}
          </button>
        ))}
      </figcaption>
    </figure>
  );
}

/** Beside the bar, on the side with more room. */
function offset(index: number, count: number): number {
  const right = (100 * (index + 1)) / count;
  return index > count / 2 ? 100 - (100 * index) / count : right;
}

function labelsOf(periods: readonly Period[], unit: Unit): [index: number, label: string][] {
  const step = Math.max(1, Math.ceil(periods.length / MAX_LABELS));
  return periods.flatMap(({ key }, index): [number, string][] =>
    index % step === Math.floor(step / 2) ? [[index, shortName(key, unit)]] : [],
  );
}
