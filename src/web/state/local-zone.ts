/** Days are those of the person who looks: a bar and the sessions behind it are the same day, whatever the machine's zone is. */
import { Refusal } from "./api.ts";

/** A machine with older zone data refuses a new name of the browser's; it is then asked for days of its own. */
export async function inLocalZone<Answer>(ask: (zone: string | undefined) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(Intl.DateTimeFormat().resolvedOptions().timeZone);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "bad_request") throw error;
    return ask(undefined);
  }
}
