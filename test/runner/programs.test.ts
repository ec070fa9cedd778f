/** Real programs: a viewer that joins late sees, cell by cell, the same screen as one that never left. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ShimPty } from "../../src/client/shim-pty.ts";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { needs } from "../support/needs.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";
import { Watching } from "./support/test-viewer.ts";

const directory = mkdtempSync("/tmp/amux-programs-");
const TMUX_SERVER = `amux-test-${process.pid}`;
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
  // A tmux server leaves its terminal's session, so it outlives ours.
  spawnSync("tmux", ["-L", TMUX_SERVER, "kill-server"], { stdio: "ignore" });
});
const file = join(directory, "text.c");
writeFileSync(
  file,
  Array.from({ length: 300 }, (_, n) => `/* ${n} */ int f${n}(void) { return ${n}; } // 結果 é 🚀\n`).join(""),
);

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface Program {
  command: string[];
  /** Keys, and the text that must appear after them. */
  steps: (readonly [keys: string, then: string])[];
}

const programs: Record<string, Program> = {
  vim: {
    command: ["vim", "-u", "NONE", "-c", "syntax on | set number mouse=a", file],
    steps: [
      ["", "int f1("],
      ["100G", "int f99("],
      [":vsplit\r", "int f99("],
      ["ihello ", "hello"],
    ],
  },
  less: {
    command: ["less", "-R", file],
    steps: [
      ["", "f0("],
      ["  ", "f70("],
      ["/f200\r", "f200("],
    ],
  },
  top: {
    command: ["top", "-d", "0.5"],
    steps: [
      ["", "load average"],
      ["1", "Cpu0"],
    ],
  },
  bash: {
    command: ["bash", "--norc", "--noprofile"],
    steps: [
      ["PS1='\\[\\e[1;32m\\]prompt\\[\\e[0m\\]> '\r", "prompt> "],
      [`cat ${file}\r`, "f299("],
      ["printf '\\e[?2004h\\e[38;2;10;20;30mtrue\\e[0m\\e[4:3mcurly\\e[m\\n'\r", "truecurly"],
      ["echo a-rather-long-line-that-has-to-be-wrapped-around-the-edge-of-the-screen-and-then-some-more", "some-more"],
    ],
  },
  tmux: {
    command: ["tmux", "-L", TMUX_SERVER, "-f", "/dev/null", "new-session", "bash --norc"],
    steps: [
      ["", "[0]"],
      ["echo in tmux\r", "in tmux"],
      ["\x02%", "│"],
    ],
  },
  htop: { command: ["htop", "-d", "5"], steps: [["", "Load average"]] },
};

for (const [name, { command, steps }] of Object.entries(programs)) {
  test(`${name} looks the same to a viewer that joins late`, needs(isInstalled(name), name), async () => {
    const home = new TestHome();
    const id = await home.client.spawn({ command, cwd: directory, cols: 90, rows: 28 });
    const { socket } = home.client.files(id);
    const faithful = new Watching(new ShimPty(await openShimConnection(socket)));
    for (const [keys, then] of steps) {
      if (keys !== "") faithful.watch.write(keys);
      await faithful.sees(then);
      await expectSameFor(home, id, faithful);
    }
    home.client.close();
  });
}

/** Joins again until the snapshot falls into a quiet moment: top, for example, repaints meanwhile. */
async function expectSameFor(home: TestHome, id: string, faithful: Watching): Promise<void> {
  const { socket } = home.client.files(id);
  let difference: [object, object] | undefined;
  await waitFor("the two screens to be the same", async () => {
    const connection = await openShimConnection(socket);
    const late = new Watching(new ShimPty(connection));
    await waitFor("a snapshot", () => late.snapshots.length > 0);
    const furthest = Math.max(late.seq, faithful.seq);
    await waitFor("both viewers to be as far", () => Math.min(late.seq, faithful.seq) >= furthest);
    late.watch.stop();
    connection.close();
    if (late.seq !== faithful.seq || late.emulator === undefined || faithful.emulator === undefined) return false;
    difference = [terminalState(late.emulator), terminalState(faithful.emulator)];
    return JSON.stringify(difference[0]) === JSON.stringify(difference[1]);
  }).catch(() => undefined);
  expect(difference?.[0]).toEqual(difference?.[1]);
}

test("colours, styles, wide characters and modes look the same at any moment", async () => {
  const home = new TestHome();
  const script = join(directory, "paint.mjs");
  writeFileSync(
    script,
    `const w = (t) => process.stdout.write(t);
     w("\\x1b[?1000h\\x1b[?1006h\\x1b[?2004h\\x1b[>1u\\x1b[?25l");
     for (let n = 0; n < 400; n++) {
       w(\`\\x1b[38;2;\${n % 256};9;9m\${n} 結果 👩‍👩‍👧 é ✓\\x1b[48;5;\${n % 256}m bg \\x1b[m\\x1b[4:3;58:5:9m under \\x1b[m\${"=".repeat(n % 90)}\\r\\n\`);
       if (n === 200) w("\\x1b[3;20r\\x1b[10;1H");
     }
     w("READY");
     setInterval(() => undefined, 1e6);`,
  );
  const id = await home.client.spawn({ command: [process.execPath, script], cwd: directory });
  const { socket } = home.client.files(id);
  const faithful = new Watching(new ShimPty(await openShimConnection(socket)));
  await faithful.sees("READY");
  await expectSameFor(home, id, faithful);
});
