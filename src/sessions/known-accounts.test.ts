import { describe, expect, it } from "vitest";
import { Texts } from "../lib/texts.ts";
import { AccountSegments } from "./account-segments.ts";
import type { Account } from "./cost/account.ts";
import { SpendingTable, type SpendingRange } from "./cost/spending.ts";
import { FileStamps } from "./file-stamps.ts";
import { AccountSegment, accountsSegment, type KeptAccount } from "./kept-accounts.ts";
import { KnownAccounts } from "./known-accounts.ts";

/** Accounts of sessions that have spent so much, one row each; -1: without token counts, null: nothing kept. */
function kept(spent: Record<string, number | null>): Map<string, KeptAccount | null> {
  return new Map(
    Object.entries(spent).map(([id, requests]) => {
      if (requests === null) return [id, null];
      return [
        id,
        {
          files: FileStamps.of([{ path: id, ino: 7, size: 1, mtimeMs: 2 }])!,
          prices: "p",
          others: [],
          account: accountOf(requests),
        },
      ];
    }),
  );
}

function accountOf(requests: number): Account {
  const length = requests > 0 ? 1 : 0;
  const doubles = new Float64Array(SpendingTable.doubleColumns * length).fill(requests);
  const table = new SpendingTable(new Texts(), { length, doubles, words: new Int32Array(5 * length) });
  return {
    isCounted: true,
    head: { title: "" },
    headText: '{"title":""}',
    usageUnknown: requests < 0,
    messageCount: 1,
    turnCount: 1,
    models: [],
    spending: { table, from: 0, to: length },
    keys: new Uint32Array(0),
    hasKeyIn: () => false,
  };
}

function sumOf({ table, from, to }: SpendingRange): number {
  let sum = 0;
  for (let row = from; row < to; row++) sum += table.item("", "", row).requests;
  return sum;
}

/** Added together as far as it goes, and one by one: the same. */
function expectSpent(known: KnownAccounts, expected: Record<string, number>): void {
  const { ranges, spenders, others } = known.spent();
  const spending = Object.values(expected).filter((requests) => requests > 0);
  const sums = [...ranges, ...others.map(([, account]) => account.spending)].map(sumOf);
  expect(sums.reduce((sum, one) => sum + one, 0)).toBe(spending.reduce((sum, one) => sum + one, 0));
  const single = others.filter(([, { spending: own }]) => own.to > own.from);
  expect(spenders + single.length).toBe(spending.length);
  // Those have to be told apart.
  for (const [id, requests] of Object.entries(expected))
    if (requests < 0) expect(others.map(([other]) => other)).toContain(id);
  const all = [...known].flatMap(([id, account]) => (account ? [[id, account] as const] : []));
  expect(
    Object.fromEntries(all.map(([id, account]) => [id, account.usageUnknown ? -1 : sumOf(account.spending)])),
  ).toEqual(expected);
  for (const id of Object.keys(expected)) expect(known.get(id)?.usageUnknown).toBe(expected[id]! < 0);
}

const SPENT = { a: 1, b: 20, c: 0, d: -1, e: 300, f: 4000 };

describe("accounts of a segment", () => {
  function known(...left: number[]): KnownAccounts {
    const accounts = new KnownAccounts();
    accounts.take(new AccountSegment(accountsSegment("x accounts", kept(SPENT))), left);
    return accounts;
  }

  it("are known all but those that are left out", () => {
    expectSpent(known(), SPENT);
    expect(known().missing(() => [])).toEqual([]);
    expectSpent(known(0, 5), { b: 20, c: 0, d: -1, e: 300 });
    expect(known(5, 0).missing(() => [])).toEqual(["a", "f"]);
    expectSpent(known(3), { a: 1, b: 20, c: 0, e: 300, f: 4000 });
    expectSpent(known(0, 1, 2, 3, 4, 5), {});
  });

  it("give way to single ones, which can be taken away again", () => {
    const accounts = known(1);
    accounts.set("b", accountOf(21));
    accounts.set("e", accountOf(301));
    expectSpent(accounts, { ...SPENT, b: 21, e: 301 });
    expect(accounts.missing(() => [])).toEqual([]);
    accounts.set("f", null);
    accounts.delete("e");
    accounts.delete("a");
    expectSpent(accounts, { b: 21, c: 0, d: -1 });
    expect(accounts.has("f")).toBe(true);
    expect(accounts.get("f")).toBeNull();
    expect(accounts.missing(() => [])).toEqual(["a", "e"]);
  });

  it("are not needed", () => {
    const accounts = new KnownAccounts();
    expect(accounts.isEmpty).toBe(true);
    accounts.set("b", accountOf(2));
    expectSpent(accounts, { b: 2 });
    expect(accounts.missing(() => ["a", "b"])).toEqual(["a"]);
  });
});

describe("accounts of several segments", () => {
  it("are those of the last one that has something to say of a session", () => {
    const accounts = new AccountSegments([
      accountsSegment("x accounts", kept({ a: 1, b: 20, c: null })),
      accountsSegment("x accounts", kept({ b: 21, d: 5 })),
      accountsSegment("x accounts", kept({ a: null, d: 6 })),
    ]);
    const requests = Object.fromEntries(
      [...accounts].map(([id, entry]) => [id, entry && entry.account && sumOf(entry.account.spending)]),
    );
    expect(requests).toEqual({ a: null, b: 21, c: null, d: 6 });
    for (const [id, entry] of accounts) expect(accounts.get(id)?.account?.spending).toEqual(entry?.account?.spending);
    expect(accounts.get("e")).toBeUndefined();
  });
});
