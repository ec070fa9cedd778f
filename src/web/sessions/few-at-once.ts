/** Limits concurrent requests, because a selection can hold hundreds of sessions. */
const AT_ONCE = 4;

export async function fewAtOnce<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    // All workers take from the same queue.
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
