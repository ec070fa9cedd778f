/**
 * Calls `onMissed` if it is not cancelled within `ms`, by the function returned. If this process stood still, a plain timer would be
 * due before it has read what arrived in time: that is read first.
 */
export function inputDeadline(ms: number, onMissed: () => void): () => void {
  let late: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (late = setImmediate(onMissed)), ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(late);
  };
}
