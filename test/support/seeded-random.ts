/** Repeatable random numbers: the same seed gives the same ones. */
type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  return (below) => (seed = (seed * 48_271) % 2_147_483_647) % below;
}
