import { describe, expect, it } from "vitest";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { arrange, type Group } from "./groups.ts";
import { withMove, withOrder, withPin } from "./ordering.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const NONE = { items: [], pins: [], discovered: [] };

function session(id: string, fields: Partial<MuxSession> = {}): MuxSession {
  return {
    id,
    created_at: "2026-03-01T10:00:00Z",
    command: ["sh"],
    cwd: "/dev/shop",
    kind: "shell",
    alive: true,
    title: id,
    status: null,
    unread: false,
    stale: false,
    ...fields,
  };
}

const shape = (groups: readonly Group[]): string[] =>
  groups.map(({ name, sessions }) => `${name}: ${sessions.map(({ id }) => id).join(" ")}`);

describe("the sidebar", () => {
  it("groups by repository where there is no project, and keeps old sessions for the drawer", () => {
    const all = [
      session("a", { workspace_root: "/dev/shop", cwd: "/dev/shop/api" }),
      session("b", { cwd: "/dev/site" }),
      session("just-ended", { alive: false, started_at: "x", exited_at: "2026-03-01T11:00:00Z" }),
      session("long-ended", { alive: false, started_at: "x", exited_at: "2026-02-01T11:00:00Z" }),
      session("from-files", { alive: false }),
    ];
    const { groups, previous } = arrange(all, NONE, { now: NOW });
    expect(shape(groups)).toEqual(["shop: a just-ended", "site: b"]);
    expect(previous.map(({ id }) => id)).toEqual(["from-files", "long-ended"]);
  });

  it("tells groups of one name apart by as few directories as that takes, or by the machine", () => {
    const all = [
      session("a", { cwd: "/dev/work/shop" }),
      session("b", { cwd: "/dev/play/shop" }),
      session("c", { cwd: "/srv/site" }),
      session("d", { cwd: "/srv/site", peer: "box" }),
      session("e", { cwd: "/x/one/app/web" }),
      session("f", { cwd: "/x/two/app/web" }),
      session("g", { cwd: "/dev/alone" }),
    ];
    const { groups } = arrange(all, NONE, { now: NOW });
    expect(groups.map(({ name, hint }) => [name, hint])).toEqual([
      ["shop", "work"],
      ["shop", "play"],
      ["site", "srv"],
      ["site", "box"],
      ["web", "one/app"],
      ["web", "two/app"],
      ["alone", undefined],
    ]);
  });

  it("puts pins first, then projects in the user's order, each with its own order", () => {
    const projects = {
      items: [
        { slug: "site", match: [{ path: "/dev/site" }], sessions: [] },
        { slug: "shop", name: "The shop", match: [{ path: "/dev/shop" }], sessions: ["old", "b"] },
      ],
      pins: ["c"],
      discovered: [],
    };
    const all = [session("a"), session("b"), session("c"), session("old", { alive: false })];
    expect(shape(arrange(all, projects, { now: NOW }).groups)).toEqual(["Pinned: c", "site: ", "The shop: old b a"]);
  });

  it("one repository on two machines is one group; different ones at one path, or none, are not", () => {
    const remotes = { origin: "git@host.example:org/shop.git" };
    const all = [
      session("here", { remotes }),
      session("there", { remotes: { origin: "https://host.example/org/shop" }, cwd: "/srv/shop", peer: "box" }),
      session("other", { remotes: { origin: "https://host.example/org/other" }, peer: "box" }),
      session("plain"),
      session("plain-there", { peer: "box" }),
    ];
    const { groups } = arrange(all, NONE, { now: NOW });
    expect(groups.map(({ sessions }) => sessions.map(({ id }) => id).sort())).toEqual([
      ["here", "there"],
      ["other"],
      ["plain"],
      ["plain-there"],
    ]);
    expect(withOrder(NONE, groups[0]!, "there", "here").items[0]?.match).toEqual([
      { path: "/dev/shop", exact: true },
      { remote: "git@host.example:org/shop.git" },
    ]);
  });

  it("a conversation that returns under its own id stays in its project", () => {
    const project = { slug: "shop", match: [{ path: "/dev/shop" }], sessions: ["sess-gone", "claude:k1"] };
    const back = session("sess-back", { alive: false, kind: "claude", resume_key: "k1" });
    const { groups, previous } = arrange([back], { ...NONE, items: [project] }, { now: NOW });
    expect([shape(groups), previous]).toEqual([["shop: sess-back"], []]);
  });

  it("filters by every word, in any field", () => {
    const all = [session("a", { title: "Fix the login" }), session("b", { kind: "pi" })];
    expect(shape(arrange(all, NONE, { filter: "LOGIN shop", now: NOW }).groups)).toEqual(["shop: a"]);
    expect(arrange(all, NONE, { filter: "nothing", now: NOW }).groups).toEqual([]);
  });
});

describe("arranging by hand", () => {
  it("makes a directory a project when it is first arranged", () => {
    const answer = {
      ...NONE,
      items: [{ slug: "shop", match: [{ path: "/other/shop" }], sessions: [] }],
      discovered: [{ suggested_slug: "shop", path: "/dev/shop", sessions: 2, alive: 2 }],
    };
    const [group] = arrange([session("a"), session("b")], answer, { now: NOW }).groups.filter(({ key }) =>
      key.startsWith("place/"),
    );
    expect(withOrder(answer, group!, "b", "a").items[1]).toEqual({
      slug: "shop-2",
      name: "shop",
      match: [{ path: "/dev/shop", exact: true }],
      sessions: ["b", "a"],
    });
  });

  it("pins and unpins", () => {
    expect(withPin(NONE, "a").pins).toEqual(["a"]);
    expect(withPin({ ...NONE, pins: ["a", "b"] }, "a").pins).toEqual(["b"]);
  });

  it("pins what is dropped among the pins, and unpins what is dragged away from them", () => {
    const answer = { ...NONE, pins: ["a"] };
    const { groups } = arrange([session("a"), session("b"), session("c", { cwd: "/dev/site" })], answer, { now: NOW });
    const [pinned, shop, site] = groups as [Group, Group, Group];
    expect(withMove(answer, pinned, "b", "a")?.pins).toEqual(["b", "a"]);
    expect(withMove(answer, shop, "a", null)).toEqual({ items: [], pins: [] });
    expect(withMove(answer, site, "b", "c")).toBeUndefined();
  });
});
