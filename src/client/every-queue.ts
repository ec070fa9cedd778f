/** All queues of a machine. One that cannot be read does not hide the others. */
import { errorText } from "../lib/text/error-text.ts";
import type { AllQueues, PromptQueueAnswer, ScheduledPrompt } from "../protocol/queue.ts";

export async function everyQueue(
  sessions: readonly string[],
  read: (session: string) => PromptQueueAnswer | Promise<PromptQueueAnswer>,
  scheduled: () => ScheduledPrompt[],
): Promise<AllQueues> {
  const problems: string[] = [];
  const tried = async <T>(name: string, ask: () => T | Promise<T>): Promise<T[]> => {
    try {
      return [await ask()];
    } catch (error) {
      problems.push(`${name}: ${errorText(error)}`);
      return [];
    }
  };
  const queues = await Promise.all(sessions.map((session) => tried(session, () => read(session))));
  return {
    sessions: queues.flat().filter(({ items }) => items.length > 0),
    scheduled: (await tried("Scheduled prompts", scheduled)).flat(),
    ...(problems.length > 0 && { problems }),
  };
}
