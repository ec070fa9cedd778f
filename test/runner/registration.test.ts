/** What a session learns about its surroundings, and how the daemon learns of its start and end. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daemonFiles } from "../../src/protocol/daemon-files.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { TestHome } from "./support/sessions.ts";

test("a session knows its repository, whoever started it, and no secret of a remote's address", async () => {
  const home = new TestHome();
  const shop = join(home.home, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  mkdirSync(join(shop, "src"));
  writeFileSync(join(shop, ".git/config"), '[remote "origin"]\n\turl = https://me:secret@host.example/shop.git\n');
  const id = await home.spawn("exec cat", { cwd: join(shop, "src") });
  expect(await home.meta(id)).toMatchObject({
    workspace_root: shop,
    remotes: { origin: "https://host.example/shop.git" },
  });
  const elsewhere = await home.spawn("exec cat");
  expect(await home.meta(elsewhere)).not.toHaveProperty("workspace_root");
});

interface Call {
  call: string;
  body: string;
}

/** Accepts every call at the daemon's socket and answers none. */
async function callsToDaemon(home: TestHome): Promise<Call[]> {
  const calls: Call[] = [];
  const daemon = createServer((request) => void note(request));
  home.beforeRemoval(() => {
    daemon.close();
    daemon.closeAllConnections();
  });
  const note = async (request: IncomingMessage): Promise<void> => {
    let body = "";
    for await (const piece of request) body += String(piece);
    calls.push({ call: `${request.method} ${request.url}`, body });
  };
  await once(daemon.listen(daemonFiles(home.home).socket), "listening");
  return calls;
}

test("a session announces itself to the daemon, and needs no answer", async () => {
  const home = new TestHome();
  const calls = await callsToDaemon(home);
  const id = await home.spawn("exec cat");
  await waitFor("the call", () => calls.length > 0);
  expect(calls).toEqual([{ call: "POST /v1/register", body: JSON.stringify({ session_id: id }) }]);
  expect(await home.meta(id)).toMatchObject({ alive: true });
});

test("a dismissed session is announced to the daemon, whatever it answers", async () => {
  const home = new TestHome();
  const calls = await callsToDaemon(home);
  const id = await home.spawn("exec cat");
  await waitFor("its own call", () => calls.length > 0);
  calls.length = 0;
  const done = await warmCli(["dismiss", id], { home: home.home, vars: { AMUX_HOME: home.home } });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  await waitFor("the call", () => calls.length > 0);
  expect(calls).toEqual([{ call: `POST /v1/sessions/${id}/dismiss`, body: "" }]);
});
