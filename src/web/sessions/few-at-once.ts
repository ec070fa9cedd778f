/** A selection can hold hundreds; the daemon has others to answer meanwhile. */
const AT_ONCE = 4;

export async function fewAtOnce<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    // All of them take from the same rest.
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
