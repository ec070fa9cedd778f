/** A status line as text: for an agent's screen (ANSI colours), for tmux, plain (also for Starship), or as JSON. */
import { timeLeft, type LimitWindow, type StatusLine } from "../core/limits.ts";
import { oneLine, printableJson, truncate } from "../lib/text/text.ts";
import { optional } from "../lib/values/optional.ts";

export const STATUS_LINE_FORMATS = ["ansi", "tmux", "plain", "json"] as const;
export type StatusLineFormat = (typeof STATUS_LINE_FORMATS)[number];

export interface ShownLine extends StatusLine {
  branch?: string;
}

type Paint = (colour: "dim" | "yellow" | "red" | undefined, text: string) => string;

const ANSI = { dim: 2, yellow: 33, red: 31 };

const PAINTS: Record<"ansi" | "tmux" | "plain", Paint> = {
  ansi: (colour, text) => (colour === undefined ? text : `\u001b[${ANSI[colour]}m${text}\u001b[0m`),
  tmux: (colour, text) => {
    const escaped = text.replaceAll("#", "##");
    if (colour === undefined) return escaped;
    return colour === "dim" ? `#[dim]${escaped}#[nodim]` : `#[fg=${colour}]${escaped}#[fg=default]`;
  },
  plain: (_, text) => text,
};

/** A branch or a model with a longer name is cut. */
const MAX_NAME = 40;

/** Empty if nothing is known. */
export function statusLineText(line: ShownLine, format: StatusLineFormat, now: number): string {
  if (format === "json") return printableJson(JSON.stringify(jsonOf(line)));
  const paint = PAINTS[format];
  const { model, branch, contextPercent, costUsd, limits } = line;
  const parts = [
    ...(model === undefined ? [] : [paint(undefined, nameOf(model))]),
    ...(branch === undefined ? [] : [paint(undefined, nameOf(branch))]),
    ...(contextPercent === undefined ? [] : [used("context", contextPercent, paint)]),
    ...(costUsd === undefined ? [] : [paint(undefined, `$${costUsd.toFixed(2)}`)]),
    ...limits.map((limit) => limitText(limit, paint, now)),
  ];
  return parts.join(paint("dim", " · "));
}

function limitText({ window, usedPercent, resetsAt }: LimitWindow, paint: Paint, now: number): string {
  // After the reset the old figure means nothing.
  if (resetsAt !== undefined && resetsAt <= now) return paint("dim", `${nameOf(window)} reset`);
  const rest = resetsAt === undefined ? "" : paint("dim", ` (${timeLeft(resetsAt - now)})`);
  return used(nameOf(window), usedPercent, paint) + rest;
}

function used(what: string, percent: number, paint: Paint): string {
  const colour = percent >= 90 ? "red" : percent >= 75 ? "yellow" : undefined;
  return `${paint("dim", what)} ${paint(colour, `${Math.round(percent)}%`)}`;
}

function nameOf(text: string): string {
  return truncate(oneLine(text), MAX_NAME);
}

function jsonOf({ session, cwd, model, branch, contextPercent, contextSize, costUsd, limits }: ShownLine): object {
  return {
    ...optional("session", session),
    ...optional("cwd", cwd),
    ...optional("model", model),
    ...optional("branch", branch),
    ...optional("context_used_percent", contextPercent),
    ...optional("context_size_tokens", contextSize),
    ...optional("cost_usd", costUsd),
    limits: limits.map(({ window, usedPercent, resetsAt }) => ({
      window,
      used_percent: usedPercent,
      ...optional("resets_at", resetsAt === undefined ? undefined : new Date(resetsAt).toISOString()),
    })),
  };
}
