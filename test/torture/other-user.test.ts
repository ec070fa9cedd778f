/** Another user of the same machine: reads nothing, reaches nothing, learns nothing. */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { needs } from "../support/needs.ts";

const NOBODY = "65534";

/** Tries everything it is given; prints what it got hold of. */
const INTRUDER = `
const { readFileSync, readdirSync } = require("node:fs");
const { connect } = require("node:net");
const [port, ...paths] = process.argv.slice(2);
const got = [];
const tried = paths.map((path) => new Promise((done) => {
  try { readFileSync(path); got.push("read " + path); } catch {}
  try { readdirSync(path); got.push("listed " + path); } catch {}
  const socket = connect(path);
  socket.on("connect", () => { got.push("reached " + path); socket.destroy(); done(); });
  socket.on("error", done);
}));
const asked = fetch("http://127.0.0.1:" + port + "/v1/sessions").then(async (answer) => {
  if (answer.status !== 401) got.push("HTTP " + answer.status);
});
Promise.all([...tried, asked]).then(() => console.log(JSON.stringify({ uid: process.getuid(), got })));
`;

test(
  "another user gets hold of no file, no socket and no answer",
  needs(process.getuid?.() === 0 && process.platform === "linux", "to be root on Linux"),
  async () => {
    const machine = await new TestDaemon().start();
    const id = await machine.launch("echo my-secret-word; exec cat");
    await waitFor("its output", async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("my-secret-word"),
    );
    // The way there is open; amux's own directories must be what keeps them out.
    chmodSync(machine.root, 0o755);
    const script = join(machine.root, "intruder.cjs");
    writeFileSync(script, INTRUDER, { mode: 0o644 });
    const paths = readdirSync(machine.home, { recursive: true, encoding: "utf8" }).map((name) =>
      join(machine.home, name),
    );
    expect(paths.some((path) => path.endsWith(".sock"))).toBe(true);
    const output = execFileSync(
      "setpriv",
      [
        ...["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"],
        ...[process.execPath, script, String(machine.port), machine.home, ...paths],
      ],
      { encoding: "utf8", cwd: "/", env: { PATH: process.env["PATH"] } },
    );
    expect(JSON.parse(output)).toEqual({ uid: Number(NOBODY), got: [] });
  },
);
