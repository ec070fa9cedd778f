/** Continue prints its last answer as plain text, without events, tokens or the session's id. */
import { asText } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { AgentStream } from "../run-support.ts";
import { EventAssembler, type StreamContext } from "../shared/event-assembler.ts";
import { failureEvent, failuresIn } from "../shared/run-failure.ts";

export const GUIDANCE = "Run cn login, or give a model an API key in ~/.continue/config.yaml.";

export function continueEvents(context: StreamContext): AgentStream {
  const events = new EventAssembler(context);
  let isFirst = true;
  return {
    begin() {
      events.turnStart();
      return events.take();
    },
    line(text) {
      events.textDelta(isFirst ? text : `\n${text}`);
      isFirst = false;
      return events.take();
    },
    end({ exitCode, stderr }) {
      if (exitCode !== 0) {
        const message = errorIn(stderr);
        events.push(
          ...(message === undefined ? failuresIn(stderr, GUIDANCE) : [failureEvent({ message, guidance: GUIDANCE })]),
        );
      }
      events.close();
      return events.take();
    },
  };
}

function errorIn(stderr: string): string | undefined {
  const errors = stderr.split("\n").flatMap((line) => asText(parseObject(line)?.["message"]) ?? []);
  return errors.at(-1);
}
