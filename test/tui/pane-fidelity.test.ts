/** Programs look the same in a pane as without one: every cell with its colours. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findOnPath } from "../../src/lib/process/find-on-path.ts";
import { Pty } from "../../src/runner/pty.ts";
import { createEmulator, type Emulator } from "../../src/screen/emulator.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { cellsOf, Tui } from "./support/tui.ts";
import { needs } from "../support/needs.ts";

const COLS = 100;
const ROWS = 29;

/** Colours of all kinds, characters of all widths. */
const PRINTER = `
const wide = "日本語 한글 ｆｕｌｌ 👩‍👩‍👧 🇩🇪 ❤️ é å ẍ̂ ไทย हिन्दी";
for (let row = 0; row < 12; row++) {
  let line = "";
  for (let column = 0; column < 40; column++) line += "\\x1b[48;2;" + column * 6 + ";" + row * 20 + ";90m ";
  console.log(line + "\\x1b[m" + wide.slice(row, row + 20));
}
for (let at = 0; at < 256; at++) process.stdout.write("\\x1b[38;5;" + at + "m" + (at % 10) + (at % 90 === 89 ? "\\x1b[m\\n" : ""));
console.log("\\x1b[m");
for (const look of ["1", "2", "3", "4", "4:2", "4:3", "4:4", "4:5", "7", "9", "21", "53", "58:2::200:10:90;4"]) process.stdout.write("\\x1b[" + look + "mlook\\x1b[m ");
console.log("\\n\\x1b]8;;https://example.org\\x1b\\\\link\\x1b]8;;\\x1b\\\\ \\x1b(0lqqk\\x1b(B tab\\there");
process.stdout.write("\\x1b[25;3Hplaced\\x1b[44m\\x1b[K\\x1b[m\\x1b[26;83Hat the edge of it日");
setInterval(() => {}, 1000);
`;

const TEXT = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\tof a text with 日本 wide and é combined`).join(
  "\n",
);

/** Options that prevent questions to the terminal, which are tested elsewhere. */
const VIM = ["vim", "-u", "NONE", "-N", "-i", "NONE", "-n", "--cmd", "set t_RV= t_u7= t_RB= t_RF= t_BE= ttimeoutlen=0"];

interface Case {
  program: string;
  command: string[];
  /** Visible once it has drawn itself. */
  first: string;
  keys: [keys: string, seen: string][];
}

const CASES: Case[] = [
  {
    program: "node",
    command: [process.execPath, "printer.cjs"],
    first: "at the edge",
    keys: [],
  },
  {
    program: "vim",
    command: [...VIM, "-c", "syntax on | set number hlsearch cursorline", "code.c"],
    first: "return 0",
    keys: [
      ["/return\r", "search"],
      ["Onew line\x1b", "new line"],
      [":vsplit\r", "|"],
      [":set list\r", "$"],
    ],
  },
  {
    program: "less",
    command: ["less", "-R", "-N", "text.txt"],
    first: "line 20",
    keys: [
      ["/199\r", "line 199"],
      ["g", "line 1"],
    ],
  },
];

const ENV = { TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8", LC_ALL: "C.UTF-8", LESSHISTFILE: "-" };

/** The program in its own terminal. */
function bare(command: string[], cwd: string): { emulator: Emulator; type(keys: string): void; end(): void } {
  const emulator = createEmulator(COLS, ROWS, 0);
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? cwd, ...ENV };
  const pty = new Pty(
    { command, cwd, env, cols: COLS, rows: ROWS },
    { onData: (data) => void emulator.core._inputHandler.parse(Buffer.from(data)), onExit: () => undefined },
  );
  return {
    emulator,
    type: (keys) => pty.input.write(Buffer.from(keys)),
    end: () => process.kill(pty.pid, "SIGKILL"),
  };
}

const textOf = ({ terminal }: Emulator): string =>
  Array.from(
    { length: ROWS },
    (_, y) => terminal.buffer.active.getLine(terminal.buffer.active.baseY + y)?.translateToString(true) ?? "",
  ).join("\n");

test.each(CASES.filter(({ program }) => findOnPath(program, process.env) !== undefined))(
  "$program",
  async ({ command, first, keys }) => {
    const home = new TestHome(ENV);
    const directory = join(home.home, "work");
    mkdirSync(directory);
    writeFileSync(join(directory, "printer.cjs"), PRINTER);
    writeFileSync(join(directory, "text.txt"), TEXT);
    writeFileSync(
      join(directory, "code.c"),
      '#include <stdio.h>\n/* search */\nint main(void) {\n\tprintf("%d 日本\\n", 42);\n\treturn 0;\n}\n',
    );
    const alone = bare(command, directory);
    home.beforeRemoval(() => alone.end());
    await home.client.spawn({ command: command, cwd: directory, name: "shown", cols: COLS, rows: ROWS });
    const tui = new Tui(home.home, { cols: COLS, rows: ROWS + 1 });
    await tui.shows("shown");
    tui.press("enter");
    await waitFor("the session to be open", () => !tui.text().includes(" amux "));
    const same = async (seen: string): Promise<void> => {
      await waitFor(`"${seen}" in the bare terminal`, () => textOf(alone.emulator).includes(seen));
      await tui.shows(seen);
      const look = (emulator: Emulator): string => JSON.stringify(cellsOf(emulator, 0, 0, COLS, ROWS));
      try {
        await waitFor("the same cells", () => look(tui.emulator) === look(alone.emulator));
      } catch {
        expect(tui.screen().slice(0, ROWS).join("\n")).toBe(textOf(alone.emulator));
        expect(cellsOf(tui.emulator, 0, 0, COLS, ROWS)).toEqual(cellsOf(alone.emulator, 0, 0, COLS, ROWS));
      }
      const at = ({ terminal }: Emulator): number[] => [terminal.buffer.active.cursorX, terminal.buffer.active.cursorY];
      await waitFor("the cursor in the same place", () => String(at(tui.emulator)) === String(at(alone.emulator)));
    };
    await same(first);
    for (const [typed, seen] of keys) {
      alone.type(typed);
      tui.type(typed);
      await same(seen);
    }
    await tui.detach();
  },
);

test(
  "htop, which never stops redrawing, looks as in its session",
  needs(findOnPath("htop", process.env) !== undefined, "htop"),
  async () => {
    const home = new TestHome(ENV);
    const id = await home.client.spawn({
      command: ["htop", "-d", "5"],
      cwd: home.home,
      name: "shown",
      cols: COLS,
      rows: ROWS,
    });
    const beside = createEmulator(COLS, ROWS, 0);
    const tui = new Tui(home.home, { cols: COLS, rows: ROWS + 1 });
    await tui.shows("shown");
    tui.press("enter");
    await waitFor("the session to be open", () => !tui.text().includes(" amux "));
    await tui.shows("Load average");
    // The pane shows what the session's process holds.
    await waitFor("the same cells", async () => {
      const { body } = await home.ask(id, { path: "/snapshot" });
      beside.terminal.reset();
      beside.core._inputHandler.parse(body);
      return (
        JSON.stringify(cellsOf(tui.emulator, 0, 0, COLS, ROWS)) === JSON.stringify(cellsOf(beside, 0, 0, COLS, ROWS))
      );
    });
    await tui.detach();
  },
);

test("the cursor has the program's shape, and its own again afterwards", async () => {
  const home = new TestHome();
  await home.spawn(
    "stty raw -echo; printf 'bar\\033[5 q'; head -c 1; printf 'line\\033[4 q'; head -c 1; printf '\\033[0 qown'; exec cat",
    {
      name: "shown",
    },
  );
  const tui = new Tui(home.home);
  await tui.shows("shown");
  tui.press("enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  await waitFor("a bar", () => tui.written.includes("\x1b[5 q"));
  tui.type("x");
  await waitFor("a line", () => tui.written.includes("\x1b[4 q"));
  tui.press("alt+o");
  await tui.shows(" amux ");
  await waitFor("the terminal's own", () => tui.written.lastIndexOf("\x1b[0 q") > tui.written.lastIndexOf("\x1b[4 q"));
  tui.press("q");
  await tui.ended();
});
