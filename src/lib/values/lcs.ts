/**
 * Exact longest common subsequence in linear space: strips common ends and one-sided values first (nearly everything, for two
 * long sessions), then Myers' divide and conquer.
 */

/** Pairs of equal positions, ascending. */
export function commonPositions<T>(a: readonly T[], b: readonly T[]): [number, number][] {
  const keptA = positions(a, new Set(b));
  const keptB = positions(b, new Set(a));
  const numbers = new Map<T, number>();
  const numberOf = (value: T): number => numbers.get(value) ?? numbers.set(value, numbers.size).size - 1;
  const pairs: [number, number][] = [];
  const solver = new Solver(
    Int32Array.from(keptA, (index) => numberOf(a[index]!)),
    Int32Array.from(keptB, (index) => numberOf(b[index]!)),
    (i, j) => pairs.push([keptA[i]!, keptB[j]!]),
  );
  solver.solve();
  return pairs;
}

function positions<T>(values: readonly T[], other: ReadonlySet<T>): number[] {
  const kept: number[] = [];
  for (let i = 0; i < values.length; i++) if (other.has(values[i]!)) kept.push(i);
  return kept;
}

class Solver {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #match: (i: number, j: number) => void;
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  readonly #middle: number;

  constructor(a: Int32Array, b: Int32Array, match: (i: number, j: number) => void) {
    this.#a = a;
    this.#b = b;
    this.#match = match;
    this.#middle = a.length + b.length + 2;
    this.#forward = new Int32Array(2 * this.#middle + 1);
    this.#backward = new Int32Array(2 * this.#middle + 1);
  }

  solve(): void {
    this.#between(0, this.#a.length, 0, this.#b.length);
  }

  #between(a0: number, a1: number, b0: number, b1: number): void {
    while (a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]) this.#match(a0++, b0++);
    let suffix = 0;
    while (a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]) {
      a1--;
      b1--;
      suffix++;
    }
    if (a0 < a1 && b0 < b1) {
      const [x, y] = this.#split(a0, a1, b0, b1);
      // A split at a corner would not shrink; it only occurs when nothing matches in between.
      if (!((x === a0 && y === b0) || (x === a1 && y === b1))) {
        this.#between(a0, x, b0, y);
        this.#between(x, a1, y, b1);
      }
    }
    for (let k = 0; k < suffix; k++) this.#match(a1 + k, b1 + k);
  }

  /** A point on a shortest edit path: where the searches from both ends meet. */
  #split(a0: number, a1: number, b0: number, b1: number): [number, number] {
    const n = a1 - a0;
    const m = b1 - b0;
    const delta = n - m;
    const odd = (delta & 1) !== 0;
    const middle = this.#middle;
    const forward = this.#forward;
    const backward = this.#backward;
    forward[middle + 1] = 0;
    backward[middle + 1] = 0;
    const limit = Math.ceil((n + m) / 2);
    for (let d = 0; d <= limit; d++) {
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && forward[middle + k - 1]! < forward[middle + k + 1]!);
        let x = down ? forward[middle + k + 1]! : forward[middle + k - 1]! + 1;
        let y = x - k;
        const startX = x;
        const startY = y;
        while (x < n && y < m && this.#a[a0 + x] === this.#b[b0 + y]) {
          x++;
          y++;
        }
        forward[middle + k] = x;
        const c = delta - k;
        if (odd && Math.abs(c) <= d - 1 && x >= n - backward[middle + c]!) {
          return x > startX ? [a0 + startX, b0 + startY] : [a0 + x, b0 + y];
        }
      }
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && backward[middle + k - 1]! < backward[middle + k + 1]!);
        let x = down ? backward[middle + k + 1]! : backward[middle + k - 1]! + 1;
        let y = x - k;
        while (x < n && y < m && this.#a[a1 - 1 - x] === this.#b[b1 - 1 - y]) {
          x++;
          y++;
        }
        backward[middle + k] = x;
        const c = delta - k;
        if (!odd && Math.abs(c) <= d && forward[middle + c]! >= n - x) return [a1 - x, b1 - y];
      }
    }
    return [a0, b0];
  }
}
