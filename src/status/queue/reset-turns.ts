/** Sessions of one account take turns after a limit's reset: beginning at the same moment, they would meet the limit again. */
import { join } from "node:path";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { withLock } from "../../lib/fs/with-lock.ts";
import { asNumber } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";

/** A service's clock may be a little behind. */
const AFTER_RESET_MS = 10_000;
const BETWEEN_MS = 30_000;

/** A later turn belongs to another reset, or to a wrong clock. */
const MAX_WAIT_MS = 3_600_000;

/** Others have the lock for a millisecond. Nothing else happens in this process meanwhile. */
const PATIENCE_MS = 50;

/**
 * The next free turn of an account after the reset, in milliseconds since the epoch. It is taken before this returns. Undefined if
 * others are taking theirs: ask again at the next look.
 */
export function takeTurn(home: string, account: string, resetAt: number): number | undefined {
  const path = join(home, "reset-turns.json");
  const first = resetAt + AFTER_RESET_MS;
  const taken = withLock(`${path}.lock`, PATIENCE_MS, () => {
    const turns = readTurns(path);
    const last = asNumber(turns[account]) ?? 0;
    const turn = last >= first && last < first + MAX_WAIT_MS ? last + BETWEEN_MS : first;
    writeFileAtomic(path, `${JSON.stringify({ ...turns, [account]: turn })}\n`);
    return turn;
  });
  return taken?.result;
}

function readTurns(path: string): Readonly<Record<string, unknown>> {
  try {
    return parseObject(readText(path)) ?? {};
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw error;
  }
}
