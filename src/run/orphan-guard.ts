/** Agents that still run when this process ends are ended with it. */

const guarded = new Set<() => void>();
let installed = false;

/** `end` must be synchronous: it runs while the process exits. Returns a function that undoes this. */
export function endWithThisProcess(end: () => void): () => void {
  if (!installed) {
    installed = true;
    process.on("exit", () => {
      for (const endOne of guarded) endOne();
    });
  }
  guarded.add(end);
  return () => guarded.delete(end);
}
