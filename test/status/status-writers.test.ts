import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { bundleToFile } from "../../scripts/bundle.mjs";
import { asObject } from "../../src/lib/json/fields.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { isLong } from "../torture/long-form.ts";

const WRITERS = 8;

const CHANGES = isLong ? 10_000 : 400;

const place = mkdtempSync(join(tmpdir(), "amux-writer-"));
const writer = join(place, "status-writer.mjs");

beforeAll(() => bundleToFile(join(import.meta.dirname, "support/status-writer.ts"), writer));
afterAll(() => rmSync(place, { recursive: true }));

interface Writer {
  child: ChildProcess;
  output: string;
}

/** They begin at the same moment. */
async function start(directory: string, times: number, ...names: string[]): Promise<Writer[]> {
  const writers = names.map((own): Writer => {
    const child = spawn(process.execPath, [writer, directory, "shared", own, String(times)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // If the test fails, one that counts without end would slow down all others.
    onTestFinished(() => void child.kill("SIGKILL"));
    const begun = { child, output: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (begun.output += piece));
    return begun;
  });
  await waitFor("all of them", () => writers.every(({ output }) => output === "ready\n"));
  for (const { child } of writers) child.stdin!.end();
  return writers;
}

async function refusedBy(writers: readonly Writer[]): Promise<string[]> {
  await Promise.all(writers.map(({ child }) => once(child, "close")));
  return writers.map(({ output }) => output.replace("ready\n", "").trim());
}

it(`8 processes make ${CHANGES} changes to one file and lose none`, async () => {
  const directory = tempHome().path;
  const names = Array.from({ length: WRITERS }, (_, index) => `writer${index}`);
  const writers = await start(directory, CHANGES / WRITERS, ...names);
  let torn = 0;
  const path = join(directory, "shared.json");
  const watching = setInterval(() => {
    try {
      JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") torn++;
    }
  }, 1);
  const refused = await refusedBy(writers);
  clearInterval(watching);

  const agents = asObject(new StatusStore(directory).read("shared")?.["agents"])!;
  expect(refused).toEqual(Array.from({ length: WRITERS }, () => "0"));
  expect(Object.values(agents).map((agent) => asObject(agent)?.["changes"])).toEqual(
    Array.from({ length: WRITERS }, () => CHANGES / WRITERS),
  );
  expect(torn).toBe(0);
  expect(readdirSync(directory)).toEqual(["shared.json"]);
});

it("a writer killed in the middle stops nobody and breaks nothing", async () => {
  const directory = tempHome().path;
  const store = new StatusStore(directory);
  const victims = await start(directory, 1e9, "victim0", "victim1", "victim2", "victim3");
  const counted = (name: string): number =>
    (asObject(asObject(store.read("shared")?.["agents"])?.[name])?.["changes"] as number | undefined) ?? 0;
  for (const [index, victim] of victims.entries()) {
    await expect.poll(() => counted(`victim${index}`), { interval: 5 }).toBeGreaterThan(5);
    const gone = once(victim.child, "close");
    victim.child.kill("SIGKILL");
    await gone;
  }
  expect(await refusedBy(await start(directory, 50, "survivor"))).toEqual(["0"]);
  expect(counted("survivor")).toBe(50);
});
