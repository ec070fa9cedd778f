import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv } from "../../agents/adapter.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { SessionManager } from "../manager.ts";
import { bringBack } from "./bring-back.ts";
import { PIECE_BYTES } from "./objects.ts";
import { DAY, ID, objectsIn, place, record, registry } from "../../../test/support/vault-place.ts";

function random(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
    .toString("base64")
    .repeat(2)
    .slice(0, bytes);
}

describe("the vault", () => {
  it("is off until it is enabled", async () => {
    const { vault, env, write } = place();
    write(ID(1), "hello");
    await expect(vault.sync(registry)).rejects.toThrow("not enabled");
    expect(vault.status()).toMatchObject({ enabled: false, sessions: 0 });
    expect(existsSync(join(env.home, ".agent-mux"))).toBe(false);
  });

  it("is readable for its owner only", async () => {
    const { vault, env, write } = place();
    write(ID(1), "secret");
    vault.enable();
    await vault.sync(registry);
    const root = join(env.home, ".agent-mux/vault");
    for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })]) {
      const stat = statSync(join(root, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it("marks a session whose own file is gone, and only that", async () => {
    const { vault, write, list } = place();
    const path = write(ID(1), "hello");
    write(ID(2), "still here");
    vault.enable();
    await vault.sync(registry);
    expect((await list()).filter(({ inVault }) => inVault)).toEqual([]);
    rmSync(path);
    expect((await list()).map(({ sessionId, inVault, title }) => [sessionId, inVault, title]).sort()).toEqual([
      [ID(1), true, "hello"],
      [ID(2), undefined, "still here"],
    ]);
    rmSync(dirname(path), { recursive: true });
    expect(await list()).toHaveLength(2);
    vault.disable();
    expect(await list()).toHaveLength(2);
    vault.delete();
    expect(await list()).toEqual([]);
  });

  it("shows a moved session once, at its new place", async () => {
    const { vault, write, list } = place();
    const path = write(ID(1), "hello");
    vault.enable();
    await vault.sync(registry);
    const moved = path.replace("/-p/", "/-q/");
    mkdirSync(dirname(moved));
    renameSync(path, moved);
    expect((await list()).map(({ inVault }) => inVault)).toEqual([undefined]);
    await vault.sync(registry);
    expect(vault.sessions().flatMap(({ files }) => files.map((file) => file.path))).toEqual([moved]);
  });

  it("stores only the end of a file that grew", async () => {
    const { vault, env, write } = place();
    const path = write(ID(1), random(60_000));
    const line = record(ID(1), random(60_000));
    while (statSync(path).size < PIECE_BYTES + 1000) appendFileSync(path, line);
    vault.enable();
    await vault.sync(registry);
    const before = new Set(objectsIn(env));
    appendFileSync(path, line);
    const { copied } = await vault.sync(registry);
    const after = objectsIn(env);
    expect([copied, before.size, after.length, after.filter((object) => !before.has(object)).length]).toEqual([
      1, 2, 2, 1,
    ]);
  });

  it("leaves a file alone that is being written, if only settled ones are wanted", async () => {
    const { vault, write } = place();
    write(ID(1), "quiet");
    write(ID(2), "busy", 0);
    vault.enable();
    expect(await vault.sync(registry, { quietMs: 60_000 })).toMatchObject({ copied: 1, changing: 1 });
    expect(await vault.sync(registry)).toMatchObject({ copied: 1, unchanged: 1, changing: 0 });
  });

  it("drops the oldest sessions when it is full, and does not copy them again", async () => {
    const { vault, write } = place();
    for (const n of [1, 2, 3, 4]) write(ID(n), random(50_000), n);
    vault.enable(90_000);
    expect(await vault.sync(registry)).toMatchObject({ dropped: 1 });
    const kept = vault.sessions().map(({ sessionId }) => sessionId);
    expect(kept).toEqual([ID(1), ID(2)].slice(0, kept.length));
    expect(vault.status().bytes).toBeLessThanOrEqual(90_000);
    expect(await vault.sync(registry)).toMatchObject({ copied: 0, dropped: 0 });
    vault.enable(5_000_000);
    await vault.sync(registry);
    expect(vault.status()).toMatchObject({ sessions: 4, dropped: 0 });
  });

  it("says which copy is damaged, and reads the others", async () => {
    const { vault, env, write, list } = place();
    const [first, second] = [write(ID(1), "hello"), write(ID(2), "world")];
    vault.enable();
    await vault.sync(registry);
    const [digest] = vault.sessions().find(({ sessionId }) => sessionId === ID(1))!.files[0]!.pieces[0]!;
    const object = objectsIn(env).find((path) => path.endsWith(digest))!;
    writeFileSync(object, readFileSync(object).fill(7));
    expect(vault.verify().map(({ path }) => path)).toEqual([first]);
    rmSync(first);
    rmSync(second);
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual([ID(2)]);
    expect(
      vault
        .restore(vault.sessions().flatMap(({ files }) => files))
        .map(({ path, state }) => [path, state])
        .sort(),
    ).toEqual([
      [first, "damaged"],
      [second, "restored"],
    ]);
    expect(existsSync(first)).toBe(false);
    expect(() => bringBack(env, { agent: "claude", sessionId: ID(1) })).toThrow("damaged");
  });

  it("copies a file again whose copy lost bytes in a crash, and sweeps what a killed sync left", async () => {
    const { vault, env, write } = place();
    write(ID(1), "hello");
    vault.enable();
    await vault.sync(registry);
    const [object] = objectsIn(env);
    truncateSync(object!, 0);
    writeFileSync(`${object}.123.abc.1.tmp`, "half");
    writeFileSync(join(dirname(object!), "f".repeat(64)), "of no file");
    expect(await vault.sync(registry)).toMatchObject({ copied: 1 });
    expect(vault.verify()).toEqual([]);
    expect(objectsIn(env)).toEqual([object]);
  });

  it("keeps lines of the manifest that it cannot read, and their objects", async () => {
    const { vault, env, write } = place();
    write(ID(1), "hello");
    vault.enable();
    await vault.sync(registry);
    const manifest = join(env.home, ".agent-mux/vault/manifest.jsonl");
    const [settings, line] = readFileSync(manifest, "utf8").split("\n");
    writeFileSync(manifest, `${settings}\n${line!.replace('"agent"', '"Agent"')}\n`);
    rmSync(join(env.home, ".claude"), { recursive: true });
    await vault.sync(registry);
    expect(readFileSync(manifest, "utf8")).toContain('"Agent"');
    expect(objectsIn(env)).toHaveLength(1);
    expect(vault.verify()).toHaveLength(1);
  });

  it("never changes a file that exists", async () => {
    const { vault, env, write } = place();
    const [same, other, link] = [write(ID(1), "a"), write(ID(2), "b"), write(ID(3), "c")];
    vault.enable();
    await vault.sync(registry);
    writeFileSync(other, "something else");
    rmSync(link);
    symlinkSync(join(env.home, "nowhere"), link);
    const states = vault.restore(vault.sessions().flatMap(({ files }) => files));
    expect(new Map(states.map(({ path, state }) => [path, state]))).toEqual(
      new Map([
        [same, "present"],
        [other, "differs"],
        [link, "differs"],
      ]),
    );
    expect(readFileSync(other, "utf8")).toBe("something else");
    expect(existsSync(join(env.home, "nowhere"))).toBe(false);
  });

  it("restores a file with its time, or with the current one for an agent that deletes old files", async () => {
    const { vault, env, write } = place();
    const path = write(ID(1), "a", 40);
    const { mtimeMs } = statSync(path);
    const bytes = readFileSync(path);
    vault.enable();
    await vault.sync(registry);
    rmSync(path);
    vault.restore(vault.sessions()[0]!.files);
    expect(Math.abs(statSync(path).mtimeMs - mtimeMs)).toBeLessThan(1);
    expect(await vault.sync(registry)).toMatchObject({ copied: 0, unchanged: 1 });
    rmSync(path);
    expect(bringBack(env, { agent: "claude", sessionId: ID(1) })).toBe(1);
    expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(DAY);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it("refuses to work on the vault while another process does", async () => {
    const { vault, env, write } = place();
    write(ID(1), "a");
    vault.enable();
    const lock = acquireLock(join(env.home, ".agent-mux/vault.lock"))!;
    await expect(vault.sync(registry)).rejects.toThrow("Another process is using the vault");
    lock.release();
    expect(await vault.sync(registry)).toMatchObject({ copied: 1 });
  });

  it("refuses a manifest of a newer version, and history says so without failing", async () => {
    const { vault, env, write, list } = place();
    write(ID(1), "a");
    vault.enable();
    writeFileSync(join(env.home, ".agent-mux/vault/manifest.jsonl"), '{"version":2}\n');
    expect(() => vault.status()).toThrow("newer amux");
    expect(await list()).toHaveLength(1);
  });

  it("copies files with hostile names, and nothing that is not a file", async () => {
    const { vault, write, list } = place();
    const path = write("line\nbreak \u001b[31m", "odd");
    mkdirSync(join(dirname(path), "directory.jsonl"));
    symlinkSync("loop.jsonl", join(dirname(path), "loop.jsonl"));
    vault.enable();
    await vault.sync(registry);
    rmSync(path);
    expect(await list()).toHaveLength(1);
    expect(vault.restore(vault.sessions().flatMap(({ files }) => files))).toMatchObject([{ path, state: "restored" }]);
  });

  it("finds its files in a home directory of another name", async () => {
    const { vault, env, write } = place();
    const path = write(ID(1), "hello");
    vault.enable();
    await vault.sync(registry);
    rmSync(path);
    const other: AgentEnv = { ...env, home: tempHome().path };
    cpSync(join(env.home, ".agent-mux"), join(other.home, ".agent-mux"), { recursive: true });
    const rows = await new SessionManager(registry, other).list("claude", { index: "none" });
    expect(rows.map(({ title, inVault }) => [title, inVault])).toEqual([["hello", true]]);
  });

  it("removes a session, with its copies", async () => {
    const { vault, env, write, list } = place();
    write(ID(1), "goes");
    write(ID(2), "stays");
    vault.enable();
    await vault.sync(registry);
    vault.remove(vault.sessions().filter(({ sessionId }) => sessionId === ID(1)));
    expect(vault.sessions().map(({ sessionId }) => sessionId)).toEqual([ID(2)]);
    expect(objectsIn(env)).toHaveLength(1);
    expect(await list()).toHaveLength(2);
  });
});
