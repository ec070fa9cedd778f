/**
 * The result of `npm pack`, installed without build, install script, compiler, git or write access: the command, and the library
 * for TypeScript. `other-nodes.test.ts` runs the command on other Nodes.
 */
import { execFile, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findOnPath } from "../../src/lib/process/find-on-path.ts";
import { freePort } from "../../scripts/free-port.mjs";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { testLibrary } from "./installed-library.ts";

const ROOT = join(import.meta.dirname, "../..");
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const MOST_BYTES = 10 * 1024 * 1024;

const place = mkdtempSync(join(tmpdir(), "amux-tarball-"));
const prefix = join(place, "prefix");
const path = join(place, "bin");
let tarball = "";

beforeAll(async () => {
  const npm = (...args: string[]): Promise<unknown> => promisify(execFile)("npm", args, { cwd: ROOT });
  await npm("pack", "--pack-destination", place);
  tarball = join(
    place,
    readdirSync(place).find((name) => name.endsWith(".tgz"))!,
  );
  const quietly = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await npm("install", "--global", "--prefix", prefix, ...quietly, tarball);
  chmodSync(place, 0o755);
  mkdirSync(path);
  for (const program of ["sh", "cat"]) symlinkSync(findOnPath(program, process.env)!, join(path, program));
  if (!isRoot) await promisify(execFile)("chmod", ["-R", "a-w", prefix]);
});

afterAll(async () => {
  if (!isRoot) await promisify(execFile)("chmod", ["-R", "u+w", prefix]);
  // A process of the stopped daemon may still write there.
  await removeTree(place);
});

it("the tarball is below 10 MB and brings the manual and completions", () => {
  expect(statSync(tarball).size).toBeLessThan(MOST_BYTES);
  expect(existsSync(join(prefix, "share/man/man1/amux.1"))).toBe(true);
  const completions = join(prefix, "lib/node_modules/amux/dist/completions");
  expect(readdirSync(completions).toSorted()).toEqual(["_amux", "amux.bash", "amux.fish"]);
});

describe("the installed command", () => {
  const home = join(place, "home");
  const node = join(place, "node");

  beforeAll(() => {
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o777);
    // Another user may not be able to reach this Node's directory.
    copyFileSync(process.execPath, node);
  });

  afterAll(() => amux("daemon", "stop"));

  async function amux(...args: string[]): Promise<{ code: number | null; said: string }> {
    const child = spawn(node, [join(prefix, "bin/amux"), ...args], {
      cwd: home,
      env: { HOME: home, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    return new Promise((resolve, reject) => child.on("error", reject).on("close", (code) => resolve({ code, said })));
  }

  it("starts in an empty home and says what to do", async () => {
    expect(await amux()).toEqual({ code: 0, said: expect.stringContaining("Start here:") });
    expect(await amux("sessions", "list")).toEqual({ code: 0, said: expect.stringContaining("No sessions found") });
    expect(await amux("search", "anything")).toEqual({
      code: 0,
      said: expect.stringContaining("No session matches"),
    });
    expect(await amux("cost")).toEqual({ code: 0, said: expect.stringContaining("$0.00") });
  });

  it("runs a command in a session", async () => {
    expect(await amux("run", "--", "sh", "-c", "echo it runs")).toEqual({ code: 0, said: "it runs\n" });
    expect(await amux("ls")).toEqual({ code: 0, said: expect.stringContaining("echo it runs") });
  });

  it("opens the page", async () => {
    const started = await amux("daemon", "start", "--listen", `127.0.0.1:${await freePort()}`);
    expect(started.code, started.said).toBe(0);
    const opened = await amux("open");
    const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(opened.said)?.[0];
    expect(address, opened.said).toBeDefined();
    expect(await (await fetch(address!)).text()).toContain("<title>");
  });
});

describe("the installed library", () => {
  testLibrary(join(prefix, "lib/node_modules/amux"));
});
