/** The first `limit` of a stream, and whether there was more. */
export interface Limited<T> {
  items: Iterable<T>;
  /** Set once the items were consumed. */
  cut(): boolean;
}

export function limited<T>(source: Iterable<T>, limit: number | undefined): Limited<T> {
  let cut = false;
  function* take(): Generator<T> {
    let taken = 0;
    for (const item of source) {
      if (limit !== undefined && taken++ >= limit) {
        cut = true;
        return;
      }
      yield item;
    }
  }
  return { items: take(), cut: () => cut };
}
