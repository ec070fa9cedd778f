import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../../test/daemon/support/seeded-random.ts";
import { SessionStore } from "../store/store.ts";
import { EncodedList } from "./encoded-list.ts";

function idOf(number: number): string {
  return `sess-${String(number).padStart(8, "0")}`;
}

describe("the encoded session list", () => {
  it("equals the store after any changes, newest first", () => {
    const random = new SeededRandom(7);
    const store = new SessionStore();
    const list = new EncodedList(store);
    for (let step = 0; step < 1500; step++) {
      const id = idOf(random.below(200));
      if (random.chance(0.2)) store.remove(id);
      else if (store.get(id) !== undefined && random.chance(0.8))
        store.upsert("runner", id, { shell_title: `${step}` });
      else {
        const created_at = new Date(1.7e12 + random.below(100) * 1000).toISOString();
        store.upsert("runner", id, { created_at, kind: "shell", cwd: "/", command: ["sh"], alive: true });
      }
      if (step % 50 !== 0) continue;
      const { data } = JSON.parse(Buffer.from(list.current().bytes).toString()) as { data: { created_at: string }[] };
      expect(data).toEqual(store.list());
      const fresh = store
        .list()
        .toSorted((a, b) =>
          a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? -1 : 1,
        );
      expect(data).toEqual(fresh);
      expect(list.current()).toBe(list.current());
    }
    for (const { id } of store.list()) store.remove(id);
    expect(Buffer.from(list.current().bytes).toString()).toBe('{"ok":true,"data":[]}');
  });
});
