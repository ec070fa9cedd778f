/** The scripted day with known authors, for the whole program. */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { makeFirstDay } from "../../bench/blame-first-day.mjs";
import type { Day } from "../../bench/blame-repository.mjs";
import type { BlameReport } from "../../src/changes/blame/blame-report.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import type { CommandPlace } from "./run-cli.ts";
import { tempHome } from "./temp-home.ts";

export function madeDay(): Day {
  return makeFirstDay(realpathSync(tempHome().path));
}

/** The repository on a machine that has none of the day's sessions. */
export function cloneOf({ repo }: Day): string {
  const there = join(realpathSync(tempHome().path), "shop");
  execFileSync("git", ["clone", "--quiet", repo, there]);
  return there;
}

export async function blamed(args: readonly string[], place: CommandPlace): Promise<BlameReport> {
  return (await checkedJson("blame", args, place)) as BlameReport;
}
