/**
 * Program text that agents run before a tool of theirs: it asks the run that started the agent, over its socket, and
 * waits for the answer. Whatever goes wrong is a refusal.
 */
import type { AskPlace } from "../run-support.ts";

/** Defines `ask(toolName, input)`, which answers `{ approved, reason }`. */
export function askingSource({ socket }: AskPlace): string {
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
