/**
 * Program text that agents run before a tool: it asks the run that started the agent, over its socket, and waits for the answer.
 * Any failure is a refusal.
 */
import type { AskEndpoint } from "../run-support.ts";

/** Time for a person to read and decide. Agents get this limit, and may continue when it expires. */
export const ANSWER_WITHIN_SECONDS = 3600;

/** Shorter than the limit: silence until then is a refusal. */
const REFUSE_AFTER_SECONDS = ANSWER_WITHIN_SECONDS - 60;

/** Defines `ask(toolName, input)`, which returns `{ approved, reason }`. */
export function askingSource({ socket }: AskEndpoint): string {
  return `import { createConnection } from "node:net";

function ask(toolName, input) {
  return new Promise((resolve) => {
    const refuse = () => resolve({ approved: false, reason: "Nobody is there to approve this." });
    try {
      let answer = "";
      const connection = createConnection(${JSON.stringify(socket)});
      connection.setEncoding("utf8");
      connection.on("data", (piece) => (answer += piece));
      connection.on("error", refuse);
      connection.setTimeout(${REFUSE_AFTER_SECONDS * 1000}, () => connection.destroy());
      connection.on("close", () => {
        try {
          resolve(JSON.parse(answer));
        } catch {
          refuse();
        }
      });
      connection.write(JSON.stringify({ toolName, input }) + "\\n");
    } catch {
      refuse();
    }
  });
}
`;
}
