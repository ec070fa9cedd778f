/** Two edits turn any three-letter word into any other, so short words allow fewer. */
const SHORT = 3;

/** The candidate that a mistyped word probably meant, or undefined. Ties go to the one with the same beginning. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = word.length <= SHORT ? 1 : Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    const isFar = distance > 1 && word.length === SHORT + 1 && candidate[0] !== word[0];
    if (distance > allowed || isFar) continue;
    const cost = distance + (candidate[0] === word[0] ? 0 : 0.5);
    if (cost < smallest) [best, smallest] = [candidate, cost];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
