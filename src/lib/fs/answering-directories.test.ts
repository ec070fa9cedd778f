import { expect, it } from "vitest";
import { AnsweringDirectories, MAX_SILENT } from "./answering-directories.ts";

it("a directory on a dead mount holds nobody up, and nothing below it is touched", async () => {
  const silent: string[] = [];
  const touched: string[] = [];
  const look = (directory: string): Promise<void> => {
    touched.push(directory);
    return directory === "/mnt/dead" ? new Promise(() => undefined) : Promise.resolve();
  };
  const directories = new AnsweringDirectories((directory) => silent.push(directory), look, 1);
  const asked = ["/mnt/dead/a", "/mnt/dead/b/c", "/home/me", "/mnt/other"];
  expect(await Promise.all(asked.map((directory) => directories.has(directory)))).toEqual([false, false, true, true]);
  expect(silent).toEqual(["/mnt/dead"]);
  expect(touched.toSorted()).toEqual(["/", "/home", "/home/me", "/mnt", "/mnt/dead", "/mnt/other"]);
});

it("a missing directory answers", async () => {
  const directories = new AnsweringDirectories(() => undefined);
  expect(await directories.has("/no/such\0directory")).toBe(true);
  expect(await directories.has("/no/such/directory")).toBe(true);
  expect(await directories.has("/a".repeat(100_000))).toBe(false);
});

it("once too many looks wait for dead mounts, no further directory is looked at", async () => {
  const touched: string[] = [];
  const look = (directory: string): Promise<void> => {
    touched.push(directory);
    return directory === "/" ? Promise.resolve() : new Promise(() => undefined);
  };
  const directories = new AnsweringDirectories(() => undefined, look, 1);
  await Promise.all(Array.from({ length: MAX_SILENT }, (_, number) => directories.has(`/a${number}`)));
  expect(await directories.has("/e")).toBe(false);
  expect(touched).not.toContain("/e");
});

it("a project whose settings are a link to a dead mount does not answer", async () => {
  const look = (path: string): Promise<void> =>
    path === "/srv/shop/.agent-mux" ? new Promise(() => undefined) : Promise.resolve();
  const directories = new AnsweringDirectories(() => undefined, look, 1);
  expect(await directories.hasProject("/srv/shop/src")).toBe(false);
  expect(await directories.hasProject("/srv/other/src")).toBe(true);
});

it("many links to one dead mount do not hide the projects beside them", async () => {
  const silent: string[] = [];
  const look = async (path: string): Promise<unknown> => {
    if (path === "/mnt/dead") return new Promise(() => undefined);
    return path.endsWith("/docs") ? "../x/../../mnt/dead/docs" : undefined;
  };
  const directories = new AnsweringDirectories((path) => silent.push(path), look, 1);
  const linked = Array.from({ length: 2 * MAX_SILENT }, (_, number) => `/srv/p${number}/docs/backlog.md`);
  expect(new Set(await Promise.all(linked.map((path) => directories.has(path))))).toEqual(new Set([false]));
  expect(silent).toEqual(["/mnt/dead"]);
  expect(await directories.has("/srv/healthy/src")).toBe(true);
});

it("a link to itself answers", async () => {
  const directories = new AnsweringDirectories(undefined, async (path) => (path === "/a" ? "a" : undefined), 1);
  expect(await directories.has("/a/b")).toBe(true);
});
