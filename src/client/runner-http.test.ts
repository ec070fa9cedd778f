import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { askRunner } from "./runner-http.ts";

it("a runner that ends before it answers is not running, unless the request may have done something", async () => {
  const path = join(tempHome().path, "ending.sock");
  const ending = createServer((socket) => socket.once("data", () => socket.destroy())).listen(path);
  onTestFinished(() => void ending.close());
  await once(ending, "listening");
  await expect(askRunner(path, { method: "GET", path: "/text" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  await expect(askRunner(path, { method: "POST", path: "/input" })).rejects.toMatchObject({ code: "INTERNAL" });
});
