/**
 * Row heights of a long list: estimated, then measured. A Fenwick tree finds the row at a position in logarithmic time.
 */

export class Heights {
  readonly #guess: number;
  #heights: Float64Array<ArrayBuffer> = new Float64Array(64);
  /** Fenwick tree over the heights; entry 0 is unused. */
  #tree: Float64Array<ArrayBuffer> = new Float64Array(65);
  #count = 0;
  #total = 0;

  constructor(guess: number) {
    this.#guess = guess;
  }

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.#total;
  }

  /** Sets the number of rows; the remaining ones keep their heights. */
  resize(count: number): void {
    if (count < this.#count || count > this.#heights.length) {
      const kept = this.#heights.slice(0, Math.min(count, this.#count));
      const room = Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, count))));
      this.#heights = new Float64Array(room);
      this.#tree = new Float64Array(room + 1);
      this.#count = 0;
      this.#total = 0;
      this.#heights.set(kept);
      this.#fill(kept.length, (index) => kept[index]!);
    }
    this.#fill(count, () => this.#guess);
  }

  /** Returns the difference to the earlier height. */
  set(index: number, height: number): number {
    const change = height - this.#heights[index]!;
    if (change !== 0) this.#add(index, change);
    return change;
  }

  /** The row's top. */
  offset(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.#count); at > 0; at -= at & -at) sum += this.#tree[at]!;
    return sum;
  }

  /** The row at a position. */
  at(position: number): number {
    let index = 0;
    let rest = position;
    for (let step = this.#heights.length; step > 0; step >>= 1) {
      const next = index + step;
      if (next <= this.#count && this.#tree[next]! <= rest) {
        index = next;
        rest -= this.#tree[next]!;
      }
    }
    return Math.min(index, Math.max(0, this.#count - 1));
  }

  #fill(until: number, height: (index: number) => number): void {
    for (; this.#count < until; this.#count++) {
      this.#heights[this.#count] = 0;
      this.#add(this.#count, height(this.#count));
    }
  }

  #add(index: number, change: number): void {
    this.#heights[index]! += change;
    this.#total += change;
    for (let at = index + 1; at < this.#tree.length; at += at & -at) this.#tree[at]! += change;
  }
}
