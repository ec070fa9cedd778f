/** Counts the turns of a session before a run resumes it. */
import type { SessionChoice } from "../agents/run-support.ts";

/** A typical session takes a fraction of this; nobody waits longer for a number. */
const COUNT_WITHIN_MS = 3000;

/** Undefined if unknown, or not known in time. */
export async function countPriorTurns(
  session: SessionChoice,
  count: (sessionId: string) => Promise<number | undefined>,
  onProblem: (problem: string) => void,
): Promise<number | undefined> {
  if (session.kind !== "resume") return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), COUNT_WITHIN_MS);
  });
  try {
    return await Promise.race([count(session.id), late]);
  } catch (error) {
    onProblem(`The turns so far could not be counted: ${(error as Error).message}`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
