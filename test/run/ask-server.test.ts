/** How hooks ask for approval: the program that agents run, against the run's socket. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { askingSource } from "../../src/agents/shared/ask-program.ts";
import type { EventBody } from "../../src/core/agent-event.ts";
import { AskServer } from "../../src/run/ask-server.ts";
import { tempHome } from "../support/temp-home.ts";

/** Asks as a hook does and returns the answer. */
async function ask(socket: string): Promise<unknown> {
  const source = `${askingSource({ socket, node: process.execPath })}
process.stdout.write(JSON.stringify(await ask("bash", { command: "rm -r build" })));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout)) as unknown;
}

it("passes the question to the run and the answer to the agent", async () => {
  const asked: EventBody[] = [];
  const decide = { "ask-1": { type: "approve" }, "ask-2": { type: "deny", reason: "Not today." } } as const;
  const server = await AskServer.start(join(tempHome().path, "ask"), (event) => {
    asked.push(event);
    const { interactionId } = event as { interactionId: keyof typeof decide };
    server.answer(interactionId, decide[interactionId]);
  });
  expect(await ask(server.socket)).toEqual({ approved: true });
  expect(await ask(server.socket)).toEqual({ approved: false, reason: "Not today." });
  expect(asked[0]).toEqual({
    type: "approval_request",
    interactionId: "ask-1",
    action: "bash",
    detail: "rm -r build",
    toolName: "bash",
    riskLevel: "high",
  });
  expect(server.answer("ask-1", { type: "approve" })).toBe(false);
  server.close();
});

it("refuses when nobody can answer any more", async () => {
  const server = await AskServer.start(join(tempHome().path, "ask"), () => server.close());
  const refused = { approved: false, reason: "Nobody is there to approve this." };
  expect(await ask(server.socket)).toEqual(refused);
  expect(await ask(server.socket)).toEqual(refused);
});
