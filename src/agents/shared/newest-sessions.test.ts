import { expect, it } from "vitest";
import { ReadNotes } from "../read-notes.ts";
import { newestSessions } from "./newest-sessions.ts";

const sources = [3, 1, 4, 2].map((updatedMs) => ({ sessionId: `s${updatedMs}`, path: "/x", files: [], updatedMs }));

it("a store with too many sessions is limited to the newest, with a note", () => {
  const notes = new ReadNotes();
  const used = newestSessions(sources, "/store", notes, 3);
  expect(used.map(({ sessionId }) => sessionId)).toEqual(["s4", "s3", "s2"]);
  expect(notes.skipped).toEqual([{ path: "/store", reason: "holds 4 sessions; amux uses the newest 3" }]);
});

it("other stores are used as they are", () => {
  const notes = new ReadNotes();
  expect(newestSessions(sources, "/store", notes, 4)).toBe(sources);
  expect(notes.skippedCount).toBe(0);
});
