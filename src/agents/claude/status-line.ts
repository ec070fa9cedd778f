/**
 * Claude Code's input for a status line, as documented and as 2.1.326 sends it. `rate_limits` is there from 2.1.80 on, for
 * subscribers, after the first response.
 */
import { windowName, type LimitWindow, type StatusLine } from "../../core/limits.ts";
import { asNumber, asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";

const MINUTES: Readonly<Record<string, number>> = { five_hour: 300, seven_day: 10_080 };

/** More windows than any account has. */
const MAX_WINDOWS = 8;

export function statusLine(input: Json): StatusLine {
  const [workspace, model] = [asObject(input["workspace"]), asObject(input["model"])];
  const context = asObject(input["context_window"]);
  return {
    ...optional("session", asText(input["session_id"])),
    ...optional("cwd", asText(workspace?.["current_dir"]) ?? asText(input["cwd"])),
    ...optional("model", asText(model?.["display_name"]) ?? asText(model?.["id"])),
    ...optional("contextPercent", amount(context?.["used_percentage"])),
    ...optional("contextSize", amount(context?.["context_window_size"])),
    ...optional("costUsd", amount(asObject(input["cost"])?.["total_cost_usd"])),
    limits: limitsOf(asObject(input["rate_limits"]) ?? {}),
  };
}

function limitsOf(limits: Json): LimitWindow[] {
  return Object.entries(limits)
    .slice(0, MAX_WINDOWS)
    .flatMap(([key, value]): LimitWindow[] => {
      const fields = asObject(value);
      const usedPercent = amount(fields?.["used_percentage"]);
      if (usedPercent === undefined) return [];
      return [
        {
          ...limitWindow(key),
          usedPercent,
          ...optional("resetsAt", asTime(fields?.["resets_at"])),
        },
      ];
    });
}

/** `five_hour` is `5h`, `seven_day_opus` is `7d opus`. */
export function limitWindow(key: string): Pick<LimitWindow, "window" | "minutes"> {
  const minutes = MINUTES[/^[a-z]+_[a-z]+/.exec(key)?.[0] ?? ""];
  const window = minutes === undefined ? key : key.replace(/^[a-z]+_[a-z]+/, windowName(minutes)).replace("_", " ");
  return { window: window.slice(0, 40), ...optional("minutes", minutes) };
}

function amount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number === undefined || number < 0 ? undefined : number;
}
