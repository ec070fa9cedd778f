/** What WebAssembly counts, chooses and puts in order is what plain loops do. */
import { describe, expect, it } from "vitest";
import { randomFrom, type Random } from "../../../test/support/damaged-file.ts";
import { TITLE_WEIGHT } from "./matcher.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";
import { scoreOf } from "./rank.ts";
import { Ranking } from "./ranking.ts";
import { HAS_CONVERSATION, type SessionColumns } from "./session-columns.ts";
import { BlockReader, eachRow } from "./word-block.ts";
import { WordGatherer } from "./word-gatherer.ts";

/** Sessions of rows that are each a passage, unless it is said otherwise. */
function columnsOf(owners: Int32Array, sessions: number, passages = owners.map((_, row) => row)): SessionColumns {
  const numbers = Int32Array.from({ length: sessions }, (_, number) => number);
  return {
    agents: ["agent"],
    ids: numbers,
    agent: new Uint8Array(sessions),
    created: new Float64Array(sessions),
    updated: new Float64Array(sessions),
    length: numbers,
    flags: new Uint8Array(sessions).fill(HAS_CONVERSATION),
    newest: numbers,
    owners,
    passages,
    keyStarts: new Int32Array(sessions + 1),
    keys: new Int32Array(0),
  };
}

/** By words of all blocks: rows of those that are so, or begin so. Ends where words come that do not. */
function rowsPlainly(data: Uint8Array, wanted: Buffer, isPrefix: boolean): number[] {
  const reader = new BlockReader(data);
  const rows: number[] = [];
  let matched = 0;
  while (reader.next()) {
    if (matched === wanted.length) {
      if (reader.shared < wanted.length) return rows;
    } else {
      if (reader.shared > matched) continue;
      if (reader.shared < matched) return rows;
      let at = reader.start;
      while (at < reader.end && matched < wanted.length && data[at] === wanted[matched]) {
        at++;
        matched++;
      }
      if (matched < wanted.length) {
        if (at < reader.end && data[at]! > wanted[matched]!) return rows;
        continue;
      }
      if (!isPrefix && at < reader.end) return rows;
    }
    eachRow(data, reader.rowsStart, reader.rowsEnd, (row) => rows.push(row));
    if (!isPrefix) return rows;
  }
  return rows;
}

/** Each row is a session of its own: those in which the word was found. */
function rowsFound(data: Uint8Array, wanted: string, isPrefix: boolean, rows: number): number[] {
  const ranking = new Ranking(
    columnsOf(
      Int32Array.from({ length: rows }, (_, row) => row + 1),
      rows,
    ),
  );
  const counts = ranking.passages(
    {
      *blocksOf() {
        yield [data];
      },
    },
    { steps: [wanted], prefix: isPrefix },
  );
  return [...counts.entries()].filter(([, count]) => count === 1).map(([row]) => row);
}

function told(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return (error as { errcode?: number }).errcode;
  }
}

function blockOf(gatherer: WordGatherer): Buffer {
  return [...gatherer.blocks()].map((data) => Buffer.from(data))[0]!;
}

describe("a block", () => {
  const words = "a ab abc abd b bab retr retried retry retrying retsu ü 検 検索".split(" ");
  const gatherer = new WordGatherer();
  for (const [index, word] of words.entries()) {
    gatherer.startRow(index + 1);
    gatherer.addWord(index + 1, Buffer.from(word), Buffer.byteLength(word));
  }
  const block = blockOf(gatherer);

  it.each(["a", "ab", "abc", "abb", "abe", "b", "ba", "retry", "retr", "ret", "zz", "検", "検索", "u", "ü"])(
    "has %j, and what begins so",
    (wanted) => {
      for (const isPrefix of [false, true]) {
        const fits = (word: string): boolean => (isPrefix ? word.startsWith(wanted) : word === wanted);
        const known = [...words.entries()].filter(([, word]) => fits(word)).map(([index]) => index + 1);
        expect(rowsFound(block, wanted, isPrefix, 64), `${wanted} ${isPrefix}`).toEqual(known);
      }
    },
  );

  it("is searched as far as it is read, and told of when it ends inside of something", () => {
    const many = new WordGatherer();
    for (let row = 1; row < 300; row++) {
      many.startRow(row);
      many.add(`word${row % 17} ${"long".repeat(row % 40)} wordy${row}`);
    }
    const sound = blockOf(many);
    let damages = 0;
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(sound.subarray(0, sound.length - (round % 7)));
      for (let change = 0; change < round % 3; change++)
        damaged[(round * 7919 + change * 104_729) % damaged.length] = round;
      for (const wanted of ["word3", "wordy150", "zz"]) {
        for (const isPrefix of [false, true]) {
          const plainly = told(() => {
            const rows = rowsPlainly(damaged, Buffer.from(wanted), isPrefix).filter((row) => row >= 0 && row < 300);
            return [...new Set(rows)].sort((a, b) => a - b);
          });
          expect(told(() => rowsFound(damaged, wanted, isPrefix, 300))).toEqual(plainly);
          if (!Array.isArray(plainly)) damages++;
        }
      }
    }
    expect(damages).toBeGreaterThan(50);
  });
});

describe("passages", () => {
  const WORDS = ["one", "two", "three", "onerous", "twofold"];
  const SESSIONS = 20;

  /** Segments of rows, some of which belong to nobody, to an earlier passage, or are titles. */
  function made(random: Random): { columns: SessionColumns; segments: Buffer[] } {
    const rows = 200;
    const owners = Int32Array.from({ length: rows }, () => {
      const owner = random(SESSIONS + 1);
      return random(8) === 0 ? -owner : owner;
    });
    const passages = owners.map((_, row) => (row > 0 && random(4) === 0 ? row - 1 - random(Math.min(row, 60)) : row));
    const segments: Buffer[] = [];
    for (let first = 1; first < rows; first += 50) {
      const gatherer = new WordGatherer();
      for (let row = first; row < Math.min(first + 50, rows); row++) {
        gatherer.startRow(row);
        gatherer.add(WORDS.filter(() => random(3) === 0).join(" "));
      }
      segments.push(blockOf(gatherer));
    }
    return { columns: columnsOf(owners, SESSIONS, passages), segments };
  }

  function plainly(
    { owners, passages }: SessionColumns,
    segments: Buffer[],
    steps: string[],
    prefix: boolean,
  ): number[] {
    const counts = Array.from({ length: SESSIONS }, () => 0);
    const held = new Map<number, number>();
    for (const [step, word] of steps.entries()) {
      const isLast = step === steps.length - 1;
      for (const block of segments) {
        for (const row of rowsPlainly(block, Buffer.from(word), prefix && isLast)) {
          const [owner, passage] = [owners[row]!, passages[row]!];
          if (owner === 0 || (held.get(passage) ?? 0) !== step) continue;
          held.set(passage, step + 1);
          if (isLast) counts[Math.abs(owner) - 1]! += owner > 0 ? 1 : TITLE_WEIGHT;
        }
      }
    }
    return counts;
  }

  it("are counted once for each session, whatever their rows", () => {
    const random = randomFrom(41);
    for (let round = 0; round < 60; round++) {
      const { columns, segments } = made(random);
      const ranking = new Ranking(columns);
      for (const prefix of [false, true]) {
        const steps = Array.from({ length: 1 + random(3) }, () => WORDS[random(WORDS.length)]!);
        const blocksOf = function* (): Generator<Uint8Array[]> {
          for (const block of segments) yield [block];
        };
        const counts = ranking.passages({ blocksOf }, { steps, prefix });
        expect([...counts]).toEqual(plainly(columns, segments, steps, prefix));
      }
    }
  });
});

describe("sessions", () => {
  it("are chosen, scored and put in order as one by one", () => {
    const random = randomFrom(43);
    const plan = planOf(parseQuery("one two")!);
    for (let round = 0; round < 40; round++) {
      const sessions = 1 + random(300);
      const some = (below: number): Int32Array => Int32Array.from({ length: sessions }, () => random(below));
      const columns = {
        ...columnsOf(new Int32Array(0), sessions),
        length: some(100_000),
        flags: Uint8Array.from(some(4)),
        newest: Int32Array.from({ length: sessions }, (_, number) => sessions - 1 - number),
      };
      const ranking = new Ranking(columns);
      const counts = [some(4), some(3)];
      const isKnown = Uint8Array.from(some(2));
      const holding = ranking.holding(counts, isKnown);
      expect([...holding]).toEqual(
        [...columns.newest].filter(
          (number) =>
            isKnown[number] === 1 &&
            (columns.flags[number]! & HAS_CONVERSATION) !== 0 &&
            counts.every((column) => column[number] !== 0),
        ),
      );
      const scores = ranking.scores(counts, columns.newest);
      const one = (number: number): number => scoreOf(plan, (leaf) => counts[leaf]![number]!, columns.length[number]!);
      expect([...scores]).toEqual([...columns.newest].map(one));
      const wanted = 1 + random(sessions);
      const least = scores.toSorted()[sessions - wanted]!;
      const places = [...scores.keys()].filter((place) => scores[place]! >= least);
      expect([...ranking.greatest(scores, wanted)]).toEqual(places);
    }
  });
});
