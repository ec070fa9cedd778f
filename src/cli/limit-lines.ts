/** Usage limits that agents report, with the sessions that used most of them, as lines of text. */
import { limitUsers } from "../limits/limit-users.ts";
import { refusalText, standingLine, userLines } from "../limits/standing-text.ts";
import { tildePath } from "./format/tilde-path.ts";
import { localCost, localLimits } from "./local-limits.ts";

export async function limitLines(): Promise<string[]> {
  const now = Date.now();
  const { standings, refusals } = await localLimits(now);
  const used = standings.map(async (standing) => [
    standingLine(standing, now),
    ...userLines(await limitUsers(standing, localCost), tildePath).map((line) => `  ${line}`),
  ]);
  return [...(await Promise.all(used)).flat(), ...refusals.map((refusal) => refusalText(refusal, now))];
}
