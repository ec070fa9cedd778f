/** The model of a session: the one that answered most often; on a tie the last one. */
export function mostUsed(models: Iterable<string | undefined>): string | undefined {
  const uses = new Map<string, number>();
  for (const model of models) {
    if (model === undefined) continue;
    const count = (uses.get(model) ?? 0) + 1;
    // Deleted first, so that on a tie the latest used is last.
    uses.delete(model);
    uses.set(model, count);
  }
  return [...uses].reduce<[string?, number?]>((best, use) => (use[1] >= (best[1] ?? 0) ? use : best), [])[0];
}
