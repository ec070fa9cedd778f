/** No agent outlives the program that ran it: what still runs when this process ends is ended with it. */

const guarded = new Set<() => void>();
let installed = false;

/** `end` must work synchronously: it is called while the process exits. Answers how to take it back. */
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
