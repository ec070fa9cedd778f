import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, writeIn } from "../../../test/support/agents/made-home.ts";
import { history } from "./history.ts";
import { homeWith, open } from "../../../test/support/agents/hermes-store.ts";

describe("a session file beside the database", () => {
  const document = JSON.stringify({
    model: "hermes-4",
    messages: [
      { role: "user", content: "Which port is free?" },
      { role: "assistant", content: "Port 4321 is." },
    ],
  });
  const said = (env: AgentEnv): string[] => [...open(env, "s").reader.messages()].map(({ content }) => content);

  it("has the conversation when the database lost the messages", () => {
    const env = homeWith(
      `INSERT INTO sessions(id, title) VALUES ('s', 'Ports');
       INSERT INTO session_model_usage(session_id, model, input_tokens) VALUES ('s', 'hermes-4', 50);`,
    );
    writeIn(env, ".hermes/sessions/session_s.json", document);
    expect(said(env)).toEqual(["Which port is free?", "Port 4321 is."]);
    expect(open(env, "s").head.title).toBe("Ports");
  });

  it("is read when the messages of the database cannot be", () => {
    const env = madeHome();
    makeDatabase(
      join(env.home, ".hermes", "state.db"),
      `CREATE TABLE sessions (id TEXT, title TEXT, started_at REAL);
       CREATE TABLE messages (session_id TEXT, role TEXT, timestamp REAL);
       INSERT INTO sessions VALUES ('s', 'Ports', 1790000000);
       INSERT INTO messages VALUES ('s', 'user', 1790000001);`,
    );
    writeIn(env, ".hermes/sessions/session_s.json", document);
    expect(said(env)).toEqual(["Which port is free?", "Port 4321 is."]);
  });

  it("is not used for a session with the same id in another profile", () => {
    const env = homeWith(
      `INSERT INTO sessions(id, title) VALUES ('s', 'Ports');
       INSERT INTO session_model_usage(session_id, model, input_tokens) VALUES ('s', 'hermes-4', 50);`,
    );
    writeIn(env, ".hermes/profiles/work/sessions/session_s.json", document);
    expect(said(env)).toEqual([]);
  });

  it("is found by its own id", () => {
    const env = madeHome();
    writeIn(env, ".hermes/sessions/session_s.json", document);
    const found = history.search!.sessions(env, "4321", 10, new ReadNotes());
    expect(found).toMatchObject([{ sessionId: "s", messageIndex: 1 }]);
  });
});
