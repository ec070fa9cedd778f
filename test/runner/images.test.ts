/** Images reach attached terminals unchanged and leave no trace in the text. A session keeps no images for later viewers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

/** Longer than any read, but small enough that a busy terminal does not fall behind and get text only. */
const DATA = Buffer.alloc(12_000, "amux").toString("base64");

const PICTURES = {
  sixel: `\x1bPq"1;1;12;6#0;2;100;0;0#0${"~".repeat(16_000)}-\x1b\\`,
  kitty: (DATA.match(/.{1,4096}/g) ?? []).map((piece) => `\x1b_Ga=T,f=100,m=1;${piece}\x1b\\`).join(""),
  iterm: `\x1b]1337;File=inline=1;size=12000:${DATA}\x07`,
};

const ROOM = { cols: 60, rows: 12 };

/** Lines with a picture in each, on both screens. */
function drawing(picture: string): string {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at} before ${at % 10 === 0 ? picture : ""}after\r\n`);
  return `${lines.join("")}\x1b[?1049h\x1b[2;3Hother ${picture}screen\x1b[?1049l${picture}done\r\n`;
}

test.each(Object.entries(PICTURES))("%s", async (name, picture) => {
  const home = new TestHome();
  const [drawn, plain] = await Promise.all(
    [picture, ""].map(async (each, at) => {
      const file = join(home.home, `${name}-${at}`);
      writeFileSync(file, drawing(each), "latin1");
      return home.spawn(`stty -onlcr; printf 'ready\\r\\n'; read x; cat ${file}; exec cat`, {
        ...ROOM,
        history_lines: 30,
        ...(at === 0 ? { name: "drawn" } : {}),
      });
    }),
  );
  const terminal = new CliTerminal(["attach", "drawn"], home.home, ROOM);
  await terminal.sees("ready");
  terminal.type("\r");
  await home.ask(plain!, { method: "POST", path: "/input", body: "\r" });
  await Promise.all([terminal.sees("done"), home.waitForText(plain!, "done")]);
  // Four lines, the alternate screen, and the end.
  await waitFor("all pictures", () => terminal.written.split(picture).length - 1 === 6);
  const texts = async (): Promise<string[]> => Promise.all([drawn!, plain!].map((id) => home.text(id, 1000)));
  const [before, wanted] = await texts();
  expect(before).toBe(wanted);
  terminal.type("\x02d");
  await terminal.ended();
  const screens = await Promise.all(
    [drawn!, plain!].map(async (id) => {
      const connection = await openShimConnection(home.client.files(id).socket);
      const late = new Watching(new ShimPty(connection));
      await waitFor("the snapshot", () => late.snapshots.length > 0);
      late.watch.resize(31, 9);
      await home.waitForText(id, "done");
      await waitFor("the size", () => late.sizes.length > 0);
      connection.close();
      return terminalState(late.emulator!);
    }),
  );
  expect(screens[0]).toEqual(screens[1]);
  const [narrow, alike] = await texts();
  expect(narrow).toBe(alike);
});
