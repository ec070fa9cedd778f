import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleToFile } from "../../scripts/bundle.mjs";
import { asObject } from "../../src/lib/json/fields.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { tempHome } from "../support/temp-home.ts";
import { isLong } from "../torture/long-form.ts";

const WRITERS = 8;

const CHANGES = isLong ? 10_000 : 1600;

const place = mkdtempSync(join(tmpdir(), "amux-writer-"));
const writer = join(place, "status-writer.mjs");

beforeAll(() => bundleToFile(join(import.meta.dirname, "support/status-writer.ts"), writer));
afterAll(() => rmSync(place, { recursive: true }));

function start(directory: string, own: string, times: number): ChildProcess {
  return spawn(process.execPath, [writer, directory, "shared", own, String(times)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function output(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  return text.trim();
}

it(`8 processes make ${CHANGES} changes to one file and lose none`, async () => {
  const directory = tempHome().path;
  const children = Array.from({ length: WRITERS }, (_, index) => start(directory, `writer${index}`, CHANGES / WRITERS));
  let torn = 0;
  const path = join(directory, "shared.json");
  const watching = setInterval(() => {
    try {
      JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") torn++;
    }
  }, 1);
  const refused = await Promise.all(children.map(output));
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
  const victims = Array.from({ length: 4 }, (_, index) => start(directory, `victim${index}`, 1e9));
  const counted = (name: string): number =>
    (asObject(asObject(store.read("shared")?.["agents"])?.[name])?.["changes"] as number | undefined) ?? 0;
  for (const [index, victim] of victims.entries()) {
    await expect.poll(() => counted(`victim${index}`), { interval: 5 }).toBeGreaterThan(20);
    victim.kill("SIGKILL");
    await once(victim, "close");
  }
  expect(await output(start(directory, "survivor", 200))).toBe("0");
  expect(counted("survivor")).toBe(200);
});
