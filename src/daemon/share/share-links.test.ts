import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { HistoryRequest } from "../files/history-request.ts";
import { SharedPage } from "./shared-page.ts";
import { ShareLinks } from "./share-links.ts";

const DAY_MS = 86_400_000;
const SESSION = { agent: "claude", sessionId: "a" };

let home: string;
let content: string;
const clock = { wall: 0, up: 0, now: () => clock.wall, uptime: () => clock.up };
const problems: unknown[] = [];
const requests: HistoryRequest[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "amux-share-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  content = "<p>hello</p>";
  clock.wall = Date.parse("2026-06-01T00:00:00Z");
  clock.up = 1000;
  problems.length = 0;
  requests.length = 0;
});

function open(): ShareLinks {
  return new ShareLinks({
    home,
    clock,
    login: { get: async () => ({ SHOP_PASSWORD: "correct-horse-battery" }) },
    onProblem: (...problem) => void problems.push(problem),
    async *read(request: HistoryRequest) {
      requests.push(request);
      if (request.kind !== "share") throw new Error(request.kind);
      writeFileSync(request.file, content);
      yield `{"title":"a title","redacted":3,`;
      yield `"bytes":${content.length}}`;
    },
  });
}

async function shared(links: ShareLinks, expires_s?: number): Promise<{ id: string; secret: string; path: string }> {
  const made = await links.create(SESSION, { session: "claude:a", ...(expires_s === undefined ? {} : { expires_s }) });
  return { id: made.id, path: made.path, secret: made.path.slice("/shared/".length) };
}

function pageOf(links: ShareLinks): SharedPage {
  return new SharedPage(links, (...problem) => void problems.push(problem), clock.uptime);
}

const get = (path: string, address = "10.0.0.1"): { path: string; method: string; address: string } => ({
  path,
  method: "GET",
  address,
});

it("keeps only a hash of the secret, in a private file", async () => {
  const { secret, id } = await shared(open());
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(statSync(join(home, "share-links.json")).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "share-links")).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(home, "share-links.json"), "utf8")).not.toContain(secret);
  // Also after a restart.
  expect(open().find(secret)?.id).toBe(id);
  expect(JSON.stringify(open().list())).not.toMatch(/hash|closes/);
});

it("a link expires by either clock, and its snapshot goes with it", async () => {
  for (const pass of [() => (clock.wall += 7 * DAY_MS), () => (clock.up += 7 * DAY_MS)]) {
    const links = open();
    const { secret } = await shared(links);
    expect(links.find(secret)).toBeDefined();
    pass();
    expect(links.find(secret)).toBeUndefined();
    expect(links.list()).toEqual([]);
    expect(readdirSync(join(home, "share-links"))).toEqual([]);
  }
});

it("a clock that is set back neither prolongs a link nor opens one from the future", async () => {
  const links = open();
  const { id, secret } = await shared(links, 3600);
  clock.wall -= DAY_MS;
  expect(links.isOpen(id)).toBe(false);
  expect(open().isOpen(id)).toBe(false);
  // Set right again.
  clock.wall += DAY_MS;
  expect(links.isOpen(id)).toBe(true);
  clock.up += 3_500_000;
  clock.wall += 60_000;
  expect(links.find(secret)).toBeDefined();
  clock.up += 100_000;
  expect(links.find(secret)).toBeUndefined();
});

it("a clock that jumps ahead and back leaves the link closed", async () => {
  const links = open();
  const { secret } = await shared(links);
  clock.wall += 30 * DAY_MS;
  expect(links.find(secret)).toBeUndefined();
  clock.wall -= 30 * DAY_MS;
  expect(links.find(secret)).toBeUndefined();
});

it("opens its own session only: another link's revocation changes nothing", async () => {
  const links = open();
  const first = await shared(links);
  const second = await shared(links);
  links.revoke(first.id);
  expect(links.find(first.secret)).toBeUndefined();
  expect(links.find(second.secret)?.id).toBe(second.id);
  expect(() => links.revoke(first.id)).toThrow("There is no share link");
  expect(readdirSync(join(home, "share-links"))).toEqual([`${second.id}.html`]);
});

it("closes everything if its file cannot be read, and removes nothing until it is mended", async () => {
  const path = join(home, "share-links.json");
  const { secret, id } = await shared(open());
  const kept = readFileSync(path, "utf8");
  for (const text of ["{", kept.replace('"version": 1', '"version": 2')]) {
    writeFileSync(path, text);
    const links = open();
    expect(links.find(secret)).toBeUndefined();
    expect(() => links.list()).toThrow("cannot be read");
    expect(() => links.revoke(id)).toThrow("cannot be read");
    await expect(shared(links)).rejects.toThrow("Mend or remove it");
    expect(readFileSync(path, "utf8")).toBe(text);
  }
  expect(problems).toHaveLength(2);
  writeFileSync(path, kept);
  expect(pageOf(open()).answer(get(`/shared/${secret}`)).status).toBe(200);
});

it("removes snapshots that no link shows; other files and folders do not keep the daemon from starting", async () => {
  const { id } = await shared(open());
  const directory = join(home, "share-links");
  mkdirSync(join(directory, "backup"));
  mkdirSync(join(directory, "0123abcd.html"));
  for (const name of ["11111111.html", "22222222.html.tmp", "notes.txt"]) writeFileSync(join(directory, name), "");
  rmSync(join(home, "share-links.json"));
  expect(open().list()).toEqual([]);
  expect(problems).toHaveLength(1);
  rmSync(join(directory, "0123abcd.html"), { recursive: true });
  open();
  expect(readdirSync(directory).sort()).toEqual(["backup", "notes.txt"]);
  expect(existsSync(join(directory, `${id}.html`))).toBe(false);
});

it("a link opens although an expired one cannot be removed", async () => {
  const links = open();
  const expired = await shared(links, 60);
  const { path, secret } = await shared(links);
  clock.wall += 60_000;
  rmSync(join(home, "share-links.json"));
  mkdirSync(join(home, "share-links.json"));
  expect(pageOf(links).answer(get(path)).status).toBe(200);
  expect(pageOf(links).answer(get(expired.path)).status).toBe(404);
  expect(String(problems)).not.toContain(secret);
});

it("the secrets of a new terminal and of the caller are taken out", async () => {
  await open().create(SESSION, { session: "claude:a", also_redact: ["another-secret"] });
  expect(requests.at(-1)).toMatchObject({
    secrets: { vars: { SHOP_PASSWORD: "correct-horse-battery" }, values: ["another-secret"] },
  });
});

it("refuses more than a hundred links", async () => {
  const links = open();
  for (let made = 0; made < 100; made++) await shared(links);
  await expect(shared(links)).rejects.toThrow("Revoke some first");
  expect(readdirSync(join(home, "share-links"))).toHaveLength(100);
});

it("unknown, expired, revoked and malformed links look the same", async () => {
  const links = open();
  const page = pageOf(links);
  const expired = await shared(links, 60);
  clock.wall += 60_000;
  const revoked = await shared(links);
  links.revoke(revoked.id);
  const open1 = await shared(links);
  const paths = [
    expired.path,
    revoked.path,
    `/shared/${"A".repeat(43)}`,
    "/shared/",
    "/shared/../share-links.json",
    "/shared/%2e%2e%2fshare-links.json",
    `/shared/${open1.id}`,
    `/shared/${open1.id}.html`,
    `${open1.path}/`,
    `${open1.path}%00`,
    `/shared/x/${open1.secret}`,
    `/shared/${open1.secret.toLowerCase()}`,
  ];
  const answers = await Promise.all(
    paths.map(async (path) => {
      const answer = page.answer(get(path));
      return JSON.stringify([answer.status, [...answer.headers], await answer.text()]);
    }),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain("404");
});

it("someone who guesses is stopped for a minute, and a right link opens all the time", async () => {
  const links = open();
  const page = pageOf(links);
  const { path } = await shared(links);
  const guess = (): number => page.answer(get(`/shared/${"x".repeat(43)}`)).status;
  const statuses = Array.from({ length: 61 }, guess);
  expect(statuses.slice(0, 60).every((status) => status === 404)).toBe(true);
  expect(statuses[60]).toBe(429);
  // Behind a proxy everybody has the same address.
  expect(page.answer(get(path)).status).toBe(200);
  expect(page.answer(get("/shared/x", "10.0.0.2")).status).toBe(404);
  clock.up += 60_000;
  expect(guess()).toBe(404);
});

it("is a document without scripts, cookie or cache", async () => {
  const links = open();
  const answer = pageOf(links).answer(get((await shared(links)).path));
  expect(await answer.text()).toBe("<p>hello</p>");
  expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*; sandbox$/);
  expect(answer.headers.get("content-security-policy")).not.toContain("script");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  expect(answer.headers.has("set-cookie")).toBe(false);
});

it("a link that is revoked while somebody reads ends their reading", async () => {
  content = "x".repeat(1024 * 1024);
  const links = open();
  const { id, path } = await shared(links);
  const reader = pageOf(links).answer(get(path)).body!.getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  links.revoke(id);
  await expect(reader.read()).rejects.toThrow("closed");
});

it("a snapshot that was removed by hand is not found, and the log has no secret", async () => {
  const links = open();
  const { id, path, secret } = await shared(links);
  rmSync(join(home, "share-links", `${id}.html`));
  expect(pageOf(links).answer(get(path)).status).toBe(404);
  expect(String(problems)).toContain(id);
  expect(String(problems)).not.toContain(secret);
});
