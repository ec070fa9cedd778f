import { describe, expect, it } from "vitest";
import { MuxSession } from "../../protocol/mux-session.ts";
import { FIELD_OWNERS, type RunnerChange } from "./session-record.ts";
import { slugify } from "../../protocol/slug.ts";
import { SessionStore, type StoreChange } from "./store.ts";

const ID = "sess-abc12345";

/** A runner's metadata at registration. */
const ARRIVAL: RunnerChange = {
  created_at: "2026-03-14T10:00:00Z",
  command: ["pi"],
  cwd: "/home/user/dev/gmux",
  kind: "pi",
  alive: true,
  pid: 12345,
  started_at: "2026-03-14T10:00:01Z",
  shell_title: "user@host:~/dev/gmux",
  status: { label: "thinking", working: true },
  unread: false,
  socket_path: "/tmp/gmux-sessions/sess-abc123.sock",
  binary_hash: "a1b2c3d4e5f6",
};

function newStore(currentRunner = "a1b2c3d4e5f6"): { store: SessionStore; changes: StoreChange[] } {
  const store = new SessionStore(currentRunner);
  const changes: StoreChange[] = [];
  store.onChange((change) => changes.push(change));
  return { store, changes };
}

describe("the session store", () => {
  it("a session that its agent had archived is not archived while it runs again", () => {
    const { store } = newStore();
    store.upsert("runner", ID, { ...ARRIVAL, alive: false });
    store.upsert("files", ID, { archived: true });
    expect(store.get(ID)).toHaveProperty("archived", true);
    store.upsert("runner", ID, { alive: true });
    expect(store.get(ID)).not.toHaveProperty("archived");
  });

  it("shows a running session exactly as published", () => {
    const { store } = newStore();
    store.upsert("runner", "sess-abc123", { ...ARRIVAL, wanted_slug: "fix-auth-bug" });
    store.upsert("files", "sess-abc123", {
      adapter_title: "fix auth bug",
      resume_key: "2026-03-14T10-00-00_abc123",
    });
    const published = {
      id: "sess-abc123",
      created_at: "2026-03-14T10:00:00Z",
      command: ["pi"],
      cwd: "/home/user/dev/gmux",
      kind: "pi",
      alive: true,
      pid: 12345,
      started_at: "2026-03-14T10:00:01Z",
      title: "fix auth bug",
      status: { label: "thinking", working: true },
      unread: false,
      socket_path: "/tmp/gmux-sessions/sess-abc123.sock",
      slug: "fix-auth-bug",
      resume_key: "2026-03-14T10-00-00_abc123",
      stale: false,
    };
    expect(store.get("sess-abc123")).toEqual(published);
    expect(JSON.parse(store.json("sess-abc123")!)).toEqual(published);
    expect(MuxSession.parse(published)).toEqual(published);
  });

  it("has one owner for every field, and refuses other writers", () => {
    const { store } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    for (const [field, owner] of Object.entries(FIELD_OWNERS)) {
      if (field === "id") continue;
      const write = (writer: "runner" | "files"): void => store.upsert(writer, ID, { [field]: undefined });
      const allowed = owner === "creator" ? "runner" : owner;
      const refused = allowed === "runner" ? "files" : "runner";
      expect(() => write(refused), field).toThrow(`${field} is not for ${refused} to write.`);
    }
  });

  it("notifies nobody about a write that changes nothing", () => {
    const { store, changes } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("runner", ID, { status: { label: "thinking", working: true } });
    store.upsert("files", ID, { conversation: { path: "/x.jsonl", how: "guessed", by: "directory" } });
    expect(changes.map(({ id, before, after }) => [id, before?.title, after?.title])).toEqual([
      [ID, undefined, "user@host:~/dev/gmux"],
    ]);
  });

  it("drops changes of a session that is gone", () => {
    const { store, changes } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.remove(ID);
    store.upsert("runner", ID, { status: null });
    store.remove(ID);
    expect(store.list()).toEqual([]);
    expect(changes.map(({ after }) => after?.id)).toEqual([ID, undefined]);
  });

  it.each<[string, RunnerChange, string]>([
    ["the user's name first", { name: "mine", shell_title: "sh" }, "mine"],
    ["then the terminal's title", { shell_title: "vim README" }, "vim README"],
    [
      "then the command of a shell",
      { shell_title: undefined, kind: "shell", command: ["/bin/pytest", "-x"] },
      "pytest -x",
    ],
    ["then the kind", { shell_title: undefined }, "pi"],
    ["never control characters", { shell_title: "a\u001b]0;b\u0007\u202ec\nd" }, "a]0;bc d"],
  ])("takes for a title %s", (_, change, title) => {
    const { store } = newStore();
    store.upsert("runner", ID, { ...ARRIVAL, ...change });
    expect(store.get(ID)?.title).toBe(title);
  });

  it("prefers the agent's title to the terminal's", () => {
    const { store } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("files", ID, { adapter_title: "fix auth bug" });
    store.upsert("runner", ID, { shell_title: "zsh" });
    expect(store.get(ID)?.title).toBe("fix auth bug");
  });

  it("makes every ended session with a command resumable, with the agent's own command if there is one", () => {
    const { store } = newStore();
    const exit: RunnerChange = { alive: false, exit_code: 1, status: { label: "exited (1)", working: false } };
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("runner", ID, exit);
    expect(store.get(ID)).toMatchObject({
      alive: false,
      resumable: true,
      command: ["pi"],
      exit_code: 1,
      status: { label: "exited (1)", working: false },
    });
    expect(store.get(ID)).not.toHaveProperty("socket_path");
    expect(store.get(ID)).not.toHaveProperty("pid");
    store.upsert("files", ID, { resume_key: "k", resume_command: ["pi", "--session", "k"] });
    expect(store.get(ID)).toMatchObject({ command: ["pi", "--session", "k"], status: null });
    store.upsert("runner", ID, { ...ARRIVAL, command: [] });
    store.upsert("files", ID, { resume_command: undefined });
    store.upsert("runner", ID, exit);
    expect(store.get(ID)).not.toHaveProperty("resumable");
  });

  it("calls a runner of another build stale, but not one of unknown build", () => {
    const { store } = newStore("new");
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("runner", "sess-00000002", { ...ARRIVAL, binary_hash: undefined });
    expect([store.get(ID)?.stale, store.get("sess-00000002")?.stale]).toEqual([true, false]);
  });

  it("names sessions uniquely within a kind", () => {
    const { store } = newStore();
    const add = (id: string, change: RunnerChange): string | undefined => {
      store.upsert("runner", id, { ...ARRIVAL, ...change });
      return store.get(id)?.slug;
    };
    expect(add("sess-00000001", {})).toBe("pi");
    expect(add("sess-00000002", {})).toBe("pi-2");
    expect(add("sess-00000003", { kind: "shell" })).toBe("pi");
    expect(add("sess-00000004", { wanted_slug: "pi" })).toBe("pi-3");
    expect(add("sess-00000005", { wanted_slug: "../../etc" })).toBe("pi-4");
    expect(add("sess-00000006", { command: [] })).toBe("sess-00000006");
    store.remove("sess-00000002");
    expect(add("sess-00000004", { wanted_slug: "pi", unread: true }), "kept while it fits").toBe("pi-3");
    store.upsert("files", "sess-00000001", { resume_key: "/x/2026-03-14T10-00-00_abc123" });
    expect(store.get("sess-00000001")?.slug).toBe("2026-03-14t10-00-00-abc123");
    const long = "x".repeat(60);
    expect(add("sess-00000007", { command: [long] })).toBe("x".repeat(40));
    expect(add("sess-00000008", { command: [long] })).toBe(`${"x".repeat(38)}-2`);
  });

  it("makes slugs of letters, digits and inner hyphens", () => {
    expect(["Fix: the Bug!", "--a--", "ümlaut", "…", ""].map(slugify)).toEqual(["fix-the-bug", "a", "mlaut", "", ""]);
  });
});

describe("sessions of one conversation", () => {
  const found = { created_at: "2026-01-01T00:00:00Z", kind: "pi", cwd: "/w", command: ["pi", "-c"], resume_key: "k" };

  it("are one row: the running one", () => {
    const { store, changes } = newStore();
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found });
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("files", ID, { resume_key: "k" });
    expect(store.list().map(({ id }) => id)).toEqual([ID]);
    expect(changes.at(-1)).toMatchObject({ id: "sess-00000001", after: undefined });
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found });
    expect(store.list().map(({ id }) => id)).toEqual([ID]);
    expect(store.withKey("pi", "k")).toBe(ID);
  });

  it("share one slug, whichever is shown", () => {
    const { store } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found, resume_key: "talk-of-today" });
    store.upsert("files", ID, { resume_key: "talk-of-today" });
    expect(store.list().map(({ id, slug }) => [id, slug])).toEqual([[ID, "talk-of-today"]]);
    store.upsert("files", ID, { resume_key: "another" });
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found, resume_key: "talk-of-today" });
    expect(store.get("sess-00000001")?.slug).toBe("talk-of-today");
  });

  it("leave no trace of one that was hidden from the beginning", () => {
    const { store } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("files", ID, { resume_key: "k" });
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found });
    store.remove(ID);
    expect(store.withKey("pi", "k"), "a session that is not there stands for nothing").toBeUndefined();
  });

  it("are both shown while both run; the first to end is hidden", () => {
    const { store } = newStore();
    for (const id of ["sess-00000001", "sess-00000002"]) {
      store.upsert("runner", id, ARRIVAL);
      store.upsert("files", id, { resume_key: "k" });
    }
    expect(store.size).toBe(2);
    store.upsert("runner", "sess-00000001", { alive: false });
    expect(store.list().map(({ id }) => id)).toEqual(["sess-00000002"]);
  });

  it("are the one that ended last when all have ended", () => {
    const { store } = newStore();
    const dead = { ...ARRIVAL, alive: false };
    for (const [id, exited_at] of [
      ["sess-00000001", "2026-03-14T12:00:00Z"],
      ["sess-00000002", "2026-03-14T11:00:00Z"],
    ] as const) {
      store.upsert("runner", id, { ...dead, exited_at });
      store.upsert("files", id, { resume_key: "k" });
    }
    expect(store.list().map(({ id }) => id)).toEqual(["sess-00000001"]);
  });

  it("separate when one moves to another conversation", () => {
    const { store } = newStore();
    store.upsert("runner", ID, ARRIVAL);
    store.upsert("files", ID, { resume_key: "k" });
    store.upsert("files", ID, { resume_key: "other" });
    store.upsert("files", "sess-00000001", { id: "sess-00000001", ...found });
    expect(store.list().map(({ id }) => id)).toEqual([ID, "sess-00000001"]);
  });
});

describe("a peer's session", () => {
  const remote: MuxSession = {
    id: ID,
    created_at: "2026-03-14T10:00:00Z",
    command: ["claude"],
    cwd: "/w",
    kind: "claude",
    alive: true,
    title: "derived over there",
    status: null,
    unread: false,
    slug: "fix",
    stale: true,
  };

  it("keeps the fields its machine derived, and gets a slug of its own", () => {
    const { store } = newStore();
    store.upsertRemote("box", remote);
    store.upsertRemote("box", { ...remote, id: "sess-00000002" });
    expect(store.get(`${ID}@box`)).toEqual({ ...remote, id: `${ID}@box`, peer: "box" });
    expect(store.get("sess-00000002@box")?.slug).toBe("fix-2");
    expect(store.record(`${ID}@box`)).toBeUndefined();
  });

  it("cannot bring control characters here", () => {
    const { store } = newStore();
    store.upsertRemote("box", { ...remote, title: "a\u001b[2Jb", status: { label: "\u0007x", working: false } });
    expect(store.get(`${ID}@box`)).toMatchObject({ title: "a[2Jb", status: { label: "x", working: false } });
  });
});
