import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { StatusStore } from "./status-store.ts";

describe("the status store", () => {
  it("keeps unknown fields at every level", () => {
    const store = new StatusStore(join(tempHome().path, "sessions"));
    store.update("a", (file) => ({
      ...file,
      status: "idle",
      colour: "blue",
      team: { name: "t", motto: "go", agents: [] },
    }));
    store.update("a", (file) => ({ ...file, status: "working" }));
    expect(store.read("a")).toEqual({
      tmux_session: "a",
      status: "working",
      message: "",
      cwd: "",
      timestamp: 0,
      colour: "blue",
      team: { name: "t", motto: "go", agents: [] },
    });
  });

  it("leaves nothing but the file", () => {
    const store = new StatusStore(join(tempHome().path, "sessions"));
    store.update("a", (file) => file);
    expect(readdirSync(store.directory)).toEqual(["a.json"]);
  });

  it("escapes the content of messages", () => {
    const store = new StatusStore(tempHome().path);
    const message = 'say "hi" \\ and\nbye \u2028';
    store.update("a", (file) => ({ ...file, message }));
    expect(store.read("a")?.message).toBe(message);
  });

  it.each(["", "..", "../x", ".hidden", "a\u0000b", "a\nb", "x".repeat(191), "a%2Fb"])(
    "refuses %j as a name",
    (name) => {
      const home = tempHome();
      const store = new StatusStore(join(home.path, "sessions"));
      expect(() => store.update(name, (file) => file)).toThrow(/cannot be the name of a session/);
      expect(() => store.read(name)).toThrow(/cannot be the name of a session/);
      expect(readdirSync(home.path)).toEqual([]);
    },
  );

  it("reads no pipe, device or directory, and says so", () => {
    const home = tempHome();
    const good = home.write("good.json", '{"status":"idle"}');
    for (const [name, target] of [
      ["device", "/dev/zero"],
      ["directory", home.path],
      ["loop", "loop.json"],
    ]) {
      symlinkSync(target!, join(home.path, `${name}.json`));
    }
    execFileSync("mkfifo", [join(home.path, "pipe.json")]);
    writeFileSync(join(home.path, "huge.json"), " ".repeat(5 * 1024 * 1024) + readFileSync(good, "utf8"));
    const problems: string[] = [];
    const store = new StatusStore(home.path);
    expect(store.list((path) => problems.push(basename(path))).map(({ name }) => name)).toEqual(["good"]);
    expect(problems.sort()).toEqual(["device.json", "directory.json", "huge.json", "loop.json", "pipe.json"]);
  });

  it("finds a session with a slash, spaces and any letters again", () => {
    const store = new StatusStore(tempHome().path);
    for (const name of ["feature/log in", "größe", "-x", "a'b\"c"])
      store.update(name, (file) => ({ ...file, cwd: name }));
    expect(store.list().map(({ name, file }) => [name, file.tmux_session, file.cwd])).toEqual(
      ["-x", "a'b\"c", "feature/log in", "größe"].map((name) => [name, name, name]),
    );
    expect(existsSync(join(store.directory, "feature"))).toBe(false);
  });

  it("reports files it cannot use, and shows the others", () => {
    const home = tempHome();
    home.write("good.json", '{"tmux_session":"good","status":"done"}');
    home.write("torn.json", '{"tmux_session":"torn","sta');
    home.write("list.json", "[]");
    home.write("notes.txt", "no");
    const problems: string[] = [];
    const found = new StatusStore(home.path).list((path, reason) =>
      problems.push(`${path.slice(home.path.length + 1)} ${reason}`),
    );
    expect(found.map(({ name }) => name)).toEqual(["good"]);
    expect(problems.sort()).toEqual(["list.json is not a status file", "torn.json is not a status file"]);
  });

  it("is empty where there is no directory", () => {
    const problems: string[] = [];
    expect(new StatusStore(join(tempHome().path, "none")).list((path) => problems.push(path))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("gives up in time when a running process holds the lock, and writes nothing", () => {
    const store = new StatusStore(tempHome().path);
    store.update("a", (file) => ({ ...file, status: "idle" }));
    const result = store.update("a", (outer) => {
      expect(store.update("a", (file) => ({ ...file, status: "done" }), 50)).toBeUndefined();
      return outer;
    });
    expect(result?.status).toBe("idle");
  });

  it("takes over the lock of a process that died", () => {
    const store = new StatusStore(tempHome().path);
    writeFileSync(join(store.directory, ".a.json.lock"), JSON.stringify({ pid: 2 ** 22 - 3, startTime: "1" }));
    expect(store.update("a", (file) => ({ ...file, status: "done" }))?.status).toBe("done");
    expect(readdirSync(store.directory)).toEqual(["a.json"]);
  });

  it("removes only what is still gone at the last moment", () => {
    const store = new StatusStore(tempHome().path);
    store.update("a", (file) => ({ ...file, timestamp: 5 }));
    expect(store.remove("a", (file) => file.timestamp === 4)).toBe(false);
    expect(store.remove("a", (file) => file.timestamp === 5)).toBe(true);
    expect(store.remove("a", () => true)).toBe(false);
  });

  it("replaces a malformed file only with a complete one", () => {
    const store = new StatusStore(tempHome().path);
    writeFileSync(join(store.directory, "a.json"), "{");
    store.update("a", (file) => ({ ...file, status: "working" }));
    expect(JSON.parse(readFileSync(join(store.directory, "a.json"), "utf8"))).toMatchObject({ status: "working" });
  });
});
