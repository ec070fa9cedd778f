/** What a session is told about where it is, and whom it tells that it is there. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daemonFiles } from "../../src/protocol/daemon-files.ts";
import { waitFor } from "./support/wait-for.ts";
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

test("a session tells the daemon that it is there, and needs no answer", async () => {
  const home = new TestHome();
  const calls: { call: string; body: string }[] = [];
  const daemon = createServer((request) => void note(request));
  home.beforeRemoval(() => daemon.close());
  const note = async (request: IncomingMessage): Promise<void> => {
    let body = "";
    for await (const piece of request) body += String(piece);
    calls.push({ call: `${request.method} ${request.url}`, body });
  };
  await once(daemon.listen(daemonFiles(home.home).socket), "listening");
  const id = await home.spawn("exec cat");
  await waitFor("the call", () => calls.length > 0);
  expect(calls).toEqual([{ call: "POST /v1/register", body: JSON.stringify({ session_id: id }) }]);
  expect(await home.meta(id)).toMatchObject({ alive: true });
});
