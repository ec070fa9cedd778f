import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ReadNotes } from "../read-notes.ts";
import { history } from "./history.ts";
import adapter from "./index.ts";

interface Exported {
  info: { id: string; title: string };
  messages: {
    info: { id: string; role: string; sessionID: string; parentID?: string };
    parts: { id: string; type: string; text?: string; messageID: string; sessionID: string }[];
  }[];
}

describe("an export that ends at a message", () => {
  const env = { home: join(import.meta.dirname, "fixtures/home"), platform: "linux", vars: {} } as const;
  const notes = new ReadNotes();
  const readers = history.listSessions(env, notes).flatMap((source) => {
    const reader = history.read(source, env, notes);
    return reader === undefined ? [] : [{ source, reader, messages: [...reader.messages()] }];
  });
  const id = adapter.launch.forkAt.newId!();
  const upTo = (of: (typeof readers)[number], last: number): Exported =>
    JSON.parse([...of.reader.copyUpTo!(last, { id, at: new Date(0) })!].join("")) as Exported;

  it("has the messages up to there under new ids, and nothing after it", () => {
    const long = readers.find(({ messages }) => messages.filter(({ role }) => role === "user").length > 1)!;
    const second = long.messages.findIndex(({ role }, index) => role === "user" && index > 0);
    const { info, messages } = upTo(long, second - 1);
    expect(info).toMatchObject({ id, title: expect.stringMatching(/ \(fork #\d+\)$/) as string });
    expect(JSON.stringify(messages)).not.toContain(JSON.stringify(long.messages[second]!.content).slice(1, -1));
    const prompts = messages.filter((message) => message.info.role === "user");
    expect(prompts.map(({ parts }) => parts.find(({ type }) => type === "text")?.text?.trim())).toEqual([
      long.messages[0]!.content,
    ]);
    const [prompt, ...answers] = messages;
    for (const answer of answers) expect(answer.info.parentID).toBe(prompt!.info.id);
    for (const { info: message, parts } of messages) {
      expect(message.sessionID).toBe(id);
      for (const part of parts) expect(part).toMatchObject({ messageID: message.id, sessionID: id });
    }
    const ids = messages.flatMap((message) => [message.info.id, ...message.parts.map((part) => part.id)]);
    expect([...ids].sort((a, b) => (a.slice(4) < b.slice(4) ? -1 : 1))).toEqual(ids);
    expect(JSON.stringify(long.reader.raw())).not.toContain(ids[0]);
  });

  it("is possible for every session at its end", () => {
    expect(readers.length).toBeGreaterThan(5);
    for (const one of readers) {
      expect(upTo(one, one.messages.length - 1).messages.length).toBeGreaterThan(0);
    }
  });
});

describe("ids", () => {
  it("sort like the program's own: newest sessions first", () => {
    const [older, newer] = [adapter.launch.forkAt.newId!(), adapter.launch.forkAt.newId!()];
    expect(older).toMatch(/^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    expect(newer.slice(0, 16) < older.slice(0, 16)).toBe(true);
  });
});
