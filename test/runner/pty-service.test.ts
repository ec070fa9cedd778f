/** One suite for both back ends: callers cannot tell a local terminal from one behind a socket. */
import { describe, expect, test } from "vitest";
import { ShimPty } from "../../src/client/shim-pty.ts";
import type { PtyService } from "../../src/protocol/pty-service.ts";
import { DirectPty } from "../../src/runner/direct-pty.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

const SIZE = { cols: 80, rows: 24 };
const env = { ...process.env, TERM: "xterm-256color" } as Record<string, string>;

const backEnds: [string, () => Promise<PtyService>][] = [
  ["in this process", async () => new DirectPty({ env })],
  [
    "through a shim",
    async () => {
      const home = new TestHome();
      // The first terminal belongs to the session; the suite opens its own.
      return new ShimPty(await home.client.connect(await home.spawn("exec sleep 1000")));
    },
  ],
];

describe.each(backEnds)("a terminal %s", (_, open) => {
  const withService = async (use: (service: PtyService) => Promise<void>): Promise<void> => {
    const service = await open();
    try {
      await service.create({ ...SIZE, cwd: "/", command: ["sleep", "1000"] });
      await use(service);
    } finally {
      await service.close();
    }
  };
  const run = (service: PtyService, script: string): Promise<string> =>
    service.create({ ...SIZE, cwd: "/tmp", command: ["sh", "-c", script] });

  test("begins with a snapshot, then output and exit", () =>
    withService(async (service) => {
      const id = await run(service, "echo hello; read line; echo got $line; exit 7");
      const viewer = new Watching(service, id);
      await viewer.sees("hello");
      expect(viewer.snapshots).toHaveLength(1);
      viewer.watch.write("word\r");
      await waitFor("the exit", () => viewer.exits.length > 0);
      expect(viewer.exits).toEqual([7]);
      expect(viewer.screen()).toContain("got word");
    }));

  test("runs in the given directory and size", () =>
    withService(async (service) => {
      const id = await run(service, "pwd; stty size; read x");
      const viewer = new Watching(service, id);
      await viewer.sees("24 80");
      expect(viewer.screen()[0]).toBe("/tmp");
      expect(service.list().find((pty) => pty.ptyId === id)).toMatchObject({ cols: 80, rows: 24, cwd: "/tmp" });
    }));

  test("refuses an invalid size", () =>
    withService(async (service) => {
      const none = service.create({ cols: 0, rows: 0, cwd: "/tmp", command: ["true"] });
      await expect(none).rejects.toThrow("A terminal cannot have 0 columns and 0 rows.");
    }));

  test("follows a viewer's size and informs the others", () =>
    withService(async (service) => {
      const id = await run(service, "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done");
      const first = new Watching(service, id);
      await first.sees("ready");
      first.watch.resize(100, 30);
      await first.sees("30 100");
      await waitFor("the news of the size", () => first.sizes.length > 0);
      expect(first.sizes).toEqual([[100, 30]]);
      first.watch.resize(0, 0);
      first.watch.resize(90, 100_000);
      first.watch.resize(101, 30);
      await waitFor("the next size", () => first.sizes.length > 1);
      expect(first.sizes[1]).toEqual([101, 30]);
    }));

  test("continues where a viewer stopped, without a byte lost or repeated", () =>
    withService(async (service) => {
      // It waits for the first viewer, and halfway for the second: each has lines to get, however late it comes.
      const id = await run(
        service,
        'read go; i=0; while [ $i -lt 200 ]; do [ $i -eq 100 ] && read go; echo "line $i"; i=$((i+1)); sleep 0.005; done; read x',
      );
      const first = new Watching(service, id);
      await waitFor("its picture", () => first.snapshots.length > 0);
      service.write(id, "\r");
      await waitFor("line 20", () => first.text().includes("line 20\r\n"));
      first.watch.stop();
      const begun = first.text();
      const second = new Watching(service, id, first.seq);
      service.write(id, "\r");
      await waitFor("the last line", () => second.text().includes("line 199\r\n"));
      expect(second.snapshots).toEqual([]);
      const numbers = [...(begun + second.text()).matchAll(/line (\d+)\r\n/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: 200 }, (_, at) => at));
    }));

  test("ends a program that ignores SIGHUP", () =>
    withService(async (service) => {
      const id = await run(service, "trap '' HUP; echo armed; while :; do sleep 0.1; done");
      const viewer = new Watching(service, id);
      await viewer.sees("armed");
      await service.destroy(id);
      await waitFor("the exit", () => viewer.exits.length > 0);
      expect(viewer.exits).toEqual([137]);
    }));

  test("disappears when its program has ended, and has no other name", () =>
    withService(async (service) => {
      const id = await run(service, "exit 0");
      await waitFor("the terminal to go", () => !service.list().some((pty) => pty.ptyId === id));
      expect(() => service.watch(id, new Watching(service, "pty-1") as never)).toThrow(`There is no terminal ${id}.`);
      expect(() => service.watch("pty-99", {} as never)).toThrow("There is no terminal pty-99.");
    }));

  test("gives the lines above the screen with the snapshot they belong to", () =>
    withService(async (service) => {
      const id = await run(service, "seq 1 1500; printf end; read x");
      const viewer = new Watching(service, id);
      await viewer.sees("end");
      const pieces: string[][] = [];
      let remaining = -1;
      const second = service.watch(id, {
        onSnapshot: () => pieces.splice(0),
        onOutput: () => undefined,
        onExit: () => undefined,
        onHistory: (lines, left) => {
          pieces.unshift([...lines]);
          remaining = left;
        },
      });
      await waitFor("nothing in particular", () => service.list().length > 0);
      second.requestHistory(10_000);
      await waitFor("the last piece", () => remaining === 0);
      const lines = pieces.flat();
      expect(lines[0]).toBe("1");
      expect(lines).toHaveLength(1500 - 23);
      expect(lines.at(-1)).toBe(String(1500 - 23));
    }));
});
