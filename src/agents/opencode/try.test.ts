import { it } from "vitest";
import adapter from "./index.ts";
import { ReadNotes } from "../read-notes.ts";
import { readdirSync } from "node:fs";
const F = new URL("./fixtures/", import.meta.url).pathname;
it("x", () => {
  for (const home of [
    "home",
    "home-wal",
    "home-0.5.29",
    "home-1.1.65",
    "home-1.1.65-to-1.2.27",
    "documented/spec-home",
  ]) {
    const env = { home: F + home, platform: "linux" as const, vars: {} };
    const notes = new ReadNotes();
    console.log("=====", home);
    for (const s of adapter.history!.listSessions(env, notes)) {
      const head = adapter.history!.summarize(s, env, notes);
      const r = adapter.history!.read(s, env, notes)!;
      console.log(
        s.sessionId,
        JSON.stringify(head),
        JSON.stringify(head) === JSON.stringify(r.head) ? "same" : JSON.stringify(r.head),
      );
      for (const m of r.messages())
        console.log(
          "   ",
          m.role,
          JSON.stringify({
            ...m,
            role: undefined,
            content: m.content.slice(0, 60),
            toolCalls: m.toolCalls?.map((c) => [c.toolName, c.durationMs, String(c.output).slice(0, 20)]),
            toolResult: m.toolResult && m.toolResult.toolCallId,
          }),
        );
      for (const u of r.usage()) console.log("      $", JSON.stringify(u));
    }
    console.log(notes);
  }
});
