/** The sums of one session after the other, of the requests it owns. */
import {
  AT,
  BRANCH,
  CACHED,
  CWD,
  double,
  INPUT,
  MODEL,
  OUTPUT,
  OWNERS,
  REPORTED,
  rows,
  SESSION_BRANCH,
  SESSION_COVERS,
  SESSION_CWD,
  SESSION_FROM,
  SESSION_TO,
  SUBAGENT,
  THINKING,
  word,
  WRITE,
  WRITE_1H,
} from "./columns";
import { KIND_REPORTED, price, priceOfRow, startPrices } from "./prices";
import { add, place, spendingCount, startSpending } from "./spending";

/** Models of the session that was summed last: u32 for each. */
const MODELS: usize = 2048; // up to 6144
const MAX_MODELS: u32 = 1024;
let models: u32 = 0;

export function modelCount(): u32 {
  return models;
}

/** What a row is priced at; NaN when it is another session's, or no part of what the agent itself has told. */
export function toldNanoUsd(row: u32, isCovered: bool): f64 {
  if (word(OWNERS, row) != row) return NaN;
  return price(row) == KIND_REPORTED || isCovered ? priceOfRow() : NaN;
}

/** Sums a session; the first of them must be summed first. Gives its first sum. */
export function sum(session: u32): u32 {
  if (session == 0) {
    startPrices();
    startSpending();
  }
  const from = word(SESSION_FROM, session);
  const to = word(SESSION_TO, session);
  const covers = word(SESSION_COVERS, session);
  const ownCwd = word(SESSION_CWD, session);
  const ownBranch = word(SESSION_BRANCH, session);
  const start = spendingCount();
  let lastModel: u32 = 0;
  models = 0;
  for (let row = from; row < to; row++) {
    const model = word(MODEL, row);
    if (model != lastModel) {
      lastModel = model;
      if (model != 0) addModel(model);
    }
    if (word(OWNERS, row) != row) continue;
    const priced = price(row);
    // The agent's own total includes this request, whatever the table makes of it.
    const kind = row - from < covers ? KIND_REPORTED : priced;
    const cwd = word(CWD, row);
    const branch = word(BRANCH, row);
    const at = double(AT, row);
    const index = place(
      start,
      at,
      model,
      cwd != 0 ? cwd : ownCwd,
      branch != 0 ? branch : ownBranch,
      kind,
      word(SUBAGENT, row) != 0 ? 1 : 0,
    );
    add(
      index,
      at,
      1,
      priceOfRow(),
      double(INPUT, row),
      double(CACHED, row),
      double(WRITE, row),
      double(WRITE_1H, row),
      double(OUTPUT, row),
      double(THINKING, row),
    );
  }
  return start;
}

function addModel(model: u32): void {
  for (let i: u32 = 0; i < models; i++) if (load<u32>(MODELS + ((<usize>i) << 2)) == model) return;
  if (models == MAX_MODELS) return;
  store<u32>(MODELS + ((<usize>models) << 2), model);
  models++;
}

const FIRST_MOMENT: f64 = 1_672_531_200_000; // 2023
const MAX_TOKENS: f64 = 1e12;
const MAX_MICRO_USD: f64 = 1e12;

/** The first row from `row` on that cannot be true (src/sessions/cost/quarantine.ts); `rows` if there is none. */
export function nextUnsound(row: u32, latest: f64): u32 {
  for (; row < rows; row++) {
    const at = double(AT, row);
    const reported = double(REPORTED, row);
    if (at < FIRST_MOMENT || at > latest || reported < 0 || reported > MAX_MICRO_USD) return row;
    for (let column = INPUT; column <= THINKING; column++) if (!isCount(double(column, row))) return row;
  }
  return rows;
}

function isCount(count: f64): bool {
  return count >= 0 && count <= MAX_TOKENS && Math.floor(count) == count;
}
