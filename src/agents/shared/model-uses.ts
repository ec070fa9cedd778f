/** The model of a session: the one that answered most often; on a tie the last one. */
export function mostUsed(models: Iterable<string | undefined>): string | undefined {
  const uses = new ModelUses();
  for (const model of models) uses.see(model);
  return uses.mostUsed;
}

/** The same for models that are added one at a time. */
export class ModelUses {
  readonly #uses = new Map<string, number>();

  see(model: string | undefined): void {
    if (model === undefined) return;
    const uses = (this.#uses.get(model) ?? 0) + 1;
    // Deleted first, so that on a tie the latest used is last.
    this.#uses.delete(model);
    this.#uses.set(model, uses);
  }

  get mostUsed(): string | undefined {
    let best: string | undefined;
    let most = 0;
    for (const [model, uses] of this.#uses) if (uses >= most) [best, most] = [model, uses];
    return best;
  }
}
