/** Rows of a list by their dates, as numbers: to compare thousands of objects takes longer than all else about their order. */

/**
 * Places of these dates in their order, or for -1 in the opposite one; among equals by their ids. Undefined when one is no
 * date.
 */
export function dateOrder(times: Float64Array, sign: 1 | -1, idAt: (place: number) => string): Uint32Array | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  // By its places: to be given one after the other takes ten times as long in a function that runs once.
  for (let place = 0; place < times.length; place++) {
    const time = times[place]!;
    if (!Number.isInteger(time)) return undefined;
    if (time < least) least = time;
    if (time > most) most = time;
  }
  const size = times.length;
  const order = new Uint32Array(size);
  if ((most - least + 1) * size <= Number.MAX_SAFE_INTEGER) {
    // Date and place in one number, which are sorted without a call for each comparison.
    const keys = new Float64Array(size);
    for (let place = 0; place < size; place++) {
      const rank = sign === 1 ? times[place]! - least : most - times[place]!;
      keys[place] = rank * size + place;
    }
    keys.sort();
    for (let index = 0; index < size; index++) order[index] = keys[index]! % size;
  } else {
    for (let place = 0; place < size; place++) order[place] = place;
    order.sort((a, b) => sign * (times[a]! - times[b]!));
  }
  sortEquals(order, times, idAt);
  return order;
}

function sortEquals(order: Uint32Array, times: Float64Array, idAt: (place: number) => string): void {
  for (let start = 0, end: number; start < order.length; start = end) {
    const time = times[order[start]!];
    end = start + 1;
    while (end < order.length && times[order[end]!] === time) end++;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => (idAt(a) < idAt(b) ? -1 : 1));
  }
}
