/** What the vault must never lose, and what it must never take in. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { objectsIn, place, record, ID, registry, DAY } from "../../../test/support/vault-place.ts";
import { madeAgent } from "../../../test/support/made-agent.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { SessionManager } from "../manager.ts";
import { PIECE_BYTES } from "./objects.ts";

const random = (bytes: number): string => randomBytes(bytes).toString("base64").slice(0, bytes);

it("a session that is larger than the whole vault may be leaves the others in it", async () => {
  const { vault, write } = place();
  const only = write(ID(1), "only in the vault", 9);
  write(ID(2), random(20_000), 2);
  vault.enable(100_000);
  await vault.sync(registry);
  rmSync(only);
  const large = write(ID(3), random(400_000), 1);
  expect(await vault.sync(registry)).toMatchObject({ dropped: 0, failed: [], tooLarge: [large] });
  expect(vault.sessions().map(({ sessionId }) => sessionId)).toEqual([ID(2), ID(1)]);
  write(ID(4), "copied as before", 3);
  expect(await vault.sync(registry)).toMatchObject({ copied: 1, tooLarge: [] });
  expect(vault.status()).toMatchObject({ tooLarge: 1 });
  vault.enable(1_000_000);
  expect(await vault.sync(registry)).toMatchObject({ copied: 1 });
  expect(vault.status()).toMatchObject({ tooLarge: 0 });
});

it("a session that outgrows the limit keeps its last copy that fits", async () => {
  const { vault, write } = place();
  write(ID(1), "small", 2);
  vault.enable(100_000);
  await vault.sync(registry);
  const path = write(ID(1), random(400_000), 1);
  expect(await vault.sync(registry)).toMatchObject({ failed: [], tooLarge: [path] });
  expect(vault.sessions()[0]!.files[0]!.size).toBeLessThan(1000);
});

it("a lower limit holds at the next sync, also when nothing changed", async () => {
  const { vault, write } = place();
  for (const n of [1, 2, 3]) write(ID(n), random(50_000), n);
  vault.enable();
  await vault.sync(registry);
  vault.enable(90_000);
  expect(await vault.sync(registry)).toMatchObject({ dropped: 1 });
  expect(vault.status().bytes).toBeLessThanOrEqual(90_000);
  expect(vault.sessions().map(({ sessionId }) => sessionId)).toEqual([ID(1), ID(2)]);
});

it("a limit below one session drops that session, not the others", async () => {
  const { vault, write } = place();
  write(ID(1), random(200_000), 1);
  write(ID(2), random(20_000), 2);
  vault.enable();
  await vault.sync(registry);
  vault.enable(100_000);
  await vault.sync(registry);
  expect(vault.sessions().map(({ sessionId }) => sessionId)).toEqual([ID(2)]);
});

it("parts of a session that changed today are as new as the session", async () => {
  const { vault, write } = place();
  const main = write(ID(1), "begun long ago", 40);
  const result = join(dirname(main), ID(1), "tool-results/a.txt");
  mkdirSync(dirname(result), { recursive: true });
  writeFileSync(result, random(40_000));
  utimesSync(result, (Date.now() - 40 * DAY) / 1000, (Date.now() - 40 * DAY) / 1000);
  write(ID(2), random(40_000), 20);
  vault.enable(90_000);
  await vault.sync(registry);
  write(ID(1), "begun long ago, continued", 1);
  await vault.sync(registry);
  write(ID(3), random(40_000), 0.5);
  expect(await vault.sync(registry)).toMatchObject({ copied: 1, dropped: 1 });
  expect(vault.sessions().map(({ sessionId, files }) => [sessionId, files.length])).toEqual([
    [ID(3), 1],
    [ID(1), 2],
  ]);
});

it.each(["bytes that changed", "bytes that are missing"])(
  "a copy with %s is copied again after verify",
  async (how) => {
    const { vault, env, write } = place();
    const path = write(ID(1), random(2000));
    vault.enable();
    await vault.sync(registry);
    const [object] = objectsIn(env);
    if (how.endsWith("changed")) writeFileSync(object!, readFileSync(object!).fill(7));
    else truncateSync(object!, statSync(object!).size - 10);
    expect(vault.verify()).toHaveLength(1);
    expect(await vault.sync(registry)).toMatchObject({ copied: 1 });
    expect(vault.verify()).toEqual([]);
    rmSync(path);
    expect(vault.restore(vault.sessions()[0]!.files)).toEqual([{ path, state: "restored" }]);
  },
);

it("a truncated copy is written anew, not taken for what it should be", async () => {
  const { vault, env, write } = place();
  write(ID(1), random(2000));
  vault.enable();
  await vault.sync(registry);
  const [object] = objectsIn(env);
  truncateSync(object!, statSync(object!).size - 10);
  await vault.sync(registry);
  expect(vault.verify()).toEqual([]);
});

it("a deleted session stays in the vault although another folder has a file with its name", async () => {
  const { vault, env, write, list } = place();
  const path = write(ID(1), random(5000), 3);
  const remnant = path.replace("/-p/", "/-q/");
  mkdirSync(dirname(remnant));
  writeFileSync(remnant, record(ID(1), "continued elsewhere"));
  vault.enable();
  await vault.sync(registry);
  rmSync(remnant);
  await vault.sync(registry);
  const copied = (): string[] => vault.sessions().flatMap(({ files }) => files.map((file) => file.path));
  expect(copied()).toContain(path);
  rmSync(path);
  writeFileSync(remnant, record(ID(1), "continued elsewhere"));
  await vault.sync(registry);
  expect(copied()).toContain(path);
  expect(vault.verify()).toEqual([]);
  expect(await list()).toHaveLength(1);
  expect(objectsIn(env)).toHaveLength(2);
});

it("files behind a link are not taken for files of a session", async () => {
  const { vault, env, write } = place();
  const main = write(ID(1), "hello");
  const secret = join(env.home, "private/id_rsa");
  mkdirSync(dirname(secret));
  writeFileSync(secret, "secret");
  mkdirSync(join(dirname(main), ID(1), "tool-results"), { recursive: true });
  symlinkSync(dirname(secret), join(dirname(main), ID(1), "tool-results/l"));
  symlinkSync(secret, join(dirname(main), ID(1), "tool-results/f"));
  vault.enable();
  await vault.sync(registry);
  expect(vault.sessions().flatMap(({ files }) => files.map((file) => file.path))).toEqual([main]);
});

it("an agent that cannot list its sessions costs only its own", async () => {
  const { vault, write } = place();
  write(ID(1), "hello");
  vault.enable();
  const agents = new AgentRegistry();
  const broken = madeAgent("broken", []);
  agents.register({
    ...broken,
    capabilities: { ...broken.capabilities, sessionPersistence: "file" },
    history: {
      ...broken.history!,
      listSessions() {
        throw new Error("boom");
      },
    },
  });
  const { copied, failed } = await vault.sync(agents);
  expect(copied).toBe(1);
  expect(failed).toEqual([{ path: "broken", reason: expect.stringContaining("boom") as string }]);
});

it.each([
  { length: 0, of: 3000 },
  { length: 1000, of: 3000 },
  { length: PIECE_BYTES + 1000, of: PIECE_BYTES + 3000 },
])("a file that was cut to $length bytes does not replace its copy", async ({ length, of }) => {
  const { vault, write } = place();
  const path = write(ID(1), random(of));
  vault.enable();
  await vault.sync(registry);
  truncateSync(path, length);
  expect(await vault.sync(registry)).toMatchObject({ copied: 0, unchanged: 1 });
  expect(vault.sessions()[0]!.files[0]!.size).toBeGreaterThan(of);
  writeFileSync(path, record(ID(1), "rewritten by the agent"));
  expect(await vault.sync(registry)).toMatchObject({ copied: 1 });
});

it.each([1000, PIECE_BYTES + 1000])("a file of which a crash left %i zeros does not replace its copy", async (size) => {
  const { vault, write } = place();
  const path = write(ID(1), "said before the crash");
  vault.enable();
  await vault.sync(registry);
  const [before] = vault.sessions();
  writeFileSync(path, Buffer.alloc(size));
  expect(await vault.sync(registry)).toMatchObject({ copied: 0, unchanged: 1 });
  expect(vault.sessions()[0]!.files).toEqual(before!.files);
});

it("a session of the vault whose folder is a file now is left out of lists with a note", async () => {
  const { vault, env, write } = place();
  const path = write(ID(1), "only in the vault");
  vault.enable();
  await vault.sync(registry);
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "in the way");
  let skipped = 0;
  const options = { onSkipped: (files: number): void => void (skipped = files) };
  expect(await new SessionManager(registry, env).list("claude", options)).toEqual([]);
  expect(skipped).toBe(1);
});

it("reading many sessions of the vault does not look through what was unpacked before for each of them", async () => {
  const { vault, env, write, list } = place();
  const paths = [1, 2, 3].map((n) => write(ID(n), `hello ${n}`));
  vault.enable();
  await vault.sync(registry);
  rmSync(paths[0]!);
  await list();
  const stranger = join(env.home, ".agent-mux/vault/read/large");
  writeFileSync(stranger, "");
  truncateSync(stranger, 600_000_000);
  rmSync(paths[1]!);
  rmSync(paths[2]!);
  expect(await list()).toHaveLength(3);
  expect(existsSync(stranger)).toBe(true);
});

it.each(["", "x{", "null"])("a list whose first line is %j costs the settings, and no copy", async (first) => {
  const { vault, env, write, list } = place();
  const path = write(ID(1), "only in the vault");
  vault.enable(1_000_000);
  await vault.sync(registry);
  rmSync(path);
  const manifest = join(env.home, ".agent-mux/vault/manifest.jsonl");
  const lines = readFileSync(manifest, "utf8").split("\n");
  writeFileSync(manifest, [first, ...lines.slice(1)].join("\n"));
  expect(vault.status()).toMatchObject({ enabled: false, sessions: 1, onlyInVault: 1, unreadable: 1 });
  expect(await list()).toHaveLength(1);
  vault.enable();
  await vault.sync(registry);
  expect(vault.restore(vault.sessions()[0]!.files)).toEqual([{ path, state: "restored" }]);
});

it("a list that a power failure emptied lets no sync remove the pieces", async () => {
  const { vault, env, write } = place();
  write(ID(1), "gone");
  vault.enable();
  await vault.sync(registry);
  const before = objectsIn(env);
  rmSync(vault.sessions()[0]!.files[0]!.path);
  writeFileSync(join(env.home, ".agent-mux/vault/manifest.jsonl"), "");
  vault.enable();
  await vault.sync(registry);
  expect(objectsIn(env)).toEqual(before);
});

it("an unreadable line of the list keeps neither a removed session nor a dropped one on the disk", async () => {
  const { vault, env, write } = place();
  const paths = [1, 2, 3].map((n) => write(ID(n), random(9000), n));
  vault.enable();
  await vault.sync(registry);
  const manifest = join(env.home, ".agent-mux/vault/manifest.jsonl");
  const lines = readFileSync(manifest, "utf8").split("\n");
  writeFileSync(manifest, ["garbage{", ...lines.slice(1)].join("\n"));
  vault.enable();
  for (const path of paths) rmSync(path);
  vault.remove(vault.sessions().filter(({ sessionId }) => sessionId === ID(1)));
  expect(objectsIn(env)).toHaveLength(2);
  write(ID(4), random(9000));
  vault.enable(20_000);
  expect(await vault.sync(registry)).toMatchObject({ copied: 1, dropped: 1 });
  expect(vault.sessions().map(({ sessionId }) => sessionId)).toEqual([ID(4), ID(2)]);
  expect(objectsIn(env)).toHaveLength(2);
});

it("a piece that cannot be brought to the disk does not keep the list from being written", async () => {
  const { vault, env, write } = place();
  for (const n of [1, 2]) write(ID(n), `hello ${n}`, n);
  vault.enable();
  const objects = join(env.home, ".agent-mux/vault/objects");
  const onProgress = ({ done }: { done: number }): void => {
    if (done === 2) rmSync(objects, { recursive: true });
  };
  await expect(vault.sync(registry, { onProgress })).rejects.toThrow("ENOENT");
  expect(vault.sessions()).toHaveLength(2);
  expect(await vault.sync(registry)).toMatchObject({ copied: 1, unchanged: 1 });
});

it("a file where the folder of a session was is named when the session is restored", async () => {
  const { vault, write } = place();
  const path = write(ID(1), "hello");
  vault.enable();
  await vault.sync(registry);
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "");
  const [restored] = vault.restore(vault.sessions()[0]!.files);
  expect(restored).toMatchObject({ path, state: "differs", reason: expect.stringContaining(dirname(path)) as string });
  rmSync(dirname(path));
  expect(vault.restore(vault.sessions()[0]!.files)).toEqual([{ path, state: "restored" }]);
});

it("small files count with the blocks they take on the disk", async () => {
  const { vault, write } = place();
  for (let n = 1; n <= 5; n++) write(ID(n), `small ${n}`);
  vault.enable();
  await vault.sync(registry);
  expect(vault.status().bytes).toBe(5 * 4096);
});
