/** Keys, pastes, clicks and copies reach the right place. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

async function opened(home: TestHome, text: string): Promise<Tui> {
  const tui = new Tui(home.home);
  await tui.shows("one");
  tui.press("enter");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  await tui.shows(text);
  return tui;
}

/** Shows another session of the same interface. */
async function choose(tui: Tui, name: string, text: string): Promise<void> {
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type(`${name}\r`);
  await tui.hides("Sessions");
  await tui.shows(text);
}

test("keys, pastes and the mouse reach a program as it asked for them; otherwise the mouse selects and copies", async () => {
  const home = new TestHome();
  const size = 300_000;
  const scripts = {
    keys: "stty raw -echo; printf 'ready for keys\\r\\n\\033[?1h'; exec cat -v",
    paste: `stty raw -echo; printf 'ready to paste\\033[?2004h'; head -c ${size + 12} | wc -c; exec cat`,
    copy: "stty raw -echo; printf 'copy this text\\r\\n'; exec cat -v",
    track: "stty raw -echo; printf 'ready to track\\r\\n\\033[?1000h\\033[?1006h'; exec cat -v",
  };
  await Promise.all(Object.entries(scripts).map(([name, script]) => home.spawn(script, { name })));
  const tui = new Tui(home.home);
  for (const name of Object.keys(scripts)) await tui.shows(name);
  await choose(tui, "keys", "ready for keys");
  // ctrl+a as a terminal with the kitty protocol sends it, and an arrow in normal mode. The prefix twice sends it once.
  tui.type("\x1b[97;5u\x1b[A\x02\x02\x1b[3~é\x03");
  await tui.shows("^A^[OA^B^[[3~M-CM-)^C");
  await choose(tui, "paste", "ready to paste");
  tui.type(`\x1b[200~${"x".repeat(size)}\x1b[201~`);
  await tui.shows(String(size + 12));
  await choose(tui, "track", "ready to track");
  tui.type("\x1b[<0;6;4M\x1b[<0;6;4m\x1b[<64;6;4M");
  await tui.shows("^[[<0;6;4M^[[<0;6;4m^[[<64;6;4M");
  await choose(tui, "copy", "copy this text");
  tui.type("\x1b[<0;6;1M\x1b[<32;9;1M");
  await tui.shows("scrolled");
  tui.type("\x1b[<0;9;1m");
  await waitFor("the clipboard", () => tui.written.includes(`\x1b]52;c;${Buffer.from("this").toString("base64")}\x07`));
  await tui.hides("scrolled");
  tui.press("ctrl+b", "p");
  await waitFor("what was copied to be pasted", () => tui.text().includes("\nthis"));
  await tui.detach();
});

test("a key long after the prefix is still a command, and is not typed into the program", async () => {
  const home = new TestHome();
  await home.spawn("stty raw -echo; printf 'ready'; head -c 1 > /dev/null; sleep 2.5; printf 'late'; exec cat -v", {
    name: "one",
  });
  const tui = await opened(home, "ready");
  tui.type("x\x02");
  await tui.shows("late");
  expect(tui.text()).toContain("o list");
  tui.type("o");
  await tui.shows(" amux ");
});

test("scrolling back, searching and copying work with keys", async () => {
  const home = new TestHome();
  await home.spawn("seq 1 3000; exec cat", { name: "one" });
  const tui = await opened(home, "3000");
  tui.press("alt+f");
  await tui.shows("search");
  tui.type("777");
  await tui.shows("2777");
  await tui.shows("3/3");
  tui.press("ctrl+p");
  await tui.shows("1777");
  tui.press("enter");
  await tui.hides("search ↑");
  tui.press("g");
  await waitFor(
    "the oldest line",
    () => tui.screen()[0]?.startsWith("1 ") === true || tui.screen()[0] === "1" || /^1\s/.test(tui.screen()[0] ?? ""),
  );
  tui.press("V", "j", "y");
  await waitFor("the clipboard", () => tui.written.includes(`\x1b]52;c;${Buffer.from("1\n2").toString("base64")}\x07`));
  await tui.shows("3000");
  // The wheel scrolls back, and forward again to the program.
  tui.type("\x1b[<64;5;5M");
  await tui.shows("scrolled");
  tui.type("\x1b[<65;5;5M\x1b[<65;5;5M");
  await tui.hides("scrolled");
  await tui.detach();
});

test("a pane that becomes lower in copy mode keeps its lines and shows the cursor; a selection stays", async () => {
  const home = new TestHome();
  await home.spawn("seq 1 200; exec cat", { name: "one" });
  const tui = await opened(home, "200");
  const caretRow = (): number => tui.emulator.terminal.buffer.active.cursorY;
  const lineAtCaret = (): string | undefined => /^\d+/.exec(tui.screen()[caretRow()] ?? "")?.[0];
  const copied = (lines: string): Promise<boolean> =>
    waitFor("the clipboard", () => tui.written.includes(`\x1b]52;c;${Buffer.from(lines).toString("base64")}\x07`));
  tui.press("ctrl+b", "[", "g");
  await waitFor("the oldest line", () => lineAtCaret() === "1");
  tui.type("j".repeat(25));
  await waitFor("the cursor below", () => lineAtCaret() === "26");
  tui.resize(120, 20);
  await waitFor("the cursor in the last row of the pane", () => caretRow() === 18 && lineAtCaret() === "19");
  tui.press("V", "y");
  await copied("19");
  await tui.hides("scrolled");
  tui.press("ctrl+b", "[", "g");
  await waitFor("the oldest line", () => lineAtCaret() === "1");
  tui.press("V");
  tui.type("j".repeat(15));
  await waitFor("the end of the selection", () => lineAtCaret() === "16");
  tui.resize(120, 10);
  await waitFor("the lines to follow it", () => caretRow() === 8 && lineAtCaret() === "16");
  tui.press("y");
  await copied(Array.from({ length: 16 }, (_, at) => at + 1).join("\n"));
  await tui.detach();
});

test("a flood in one pane does not stop the keys", async () => {
  const home = new TestHome();
  await home.spawn("exec yes 'a line of a program that never stops writing'", { name: "flood" });
  const quiet = await home.spawn("stty -echo; exec cat", { name: "one" });
  const tui = new Tui(home.home);
  await tui.shows("flood");
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type("one\r");
  await waitFor("the session to be open", () => !tui.text().includes(" amux "));
  tui.press("alt+s");
  await tui.shows("Sessions");
  tui.type("flood\t");
  await tui.shows("never stops");
  tui.press("alt+h");
  tui.type("typed during the flood\r");
  await tui.shows("typed during the flood");
  expect(await home.text(quiet)).toContain("typed during the flood");
  await tui.detach();
});

test("keys are rebound in tui.json; a mistake in it is reported before the screen is taken", async () => {
  const home = new TestHome();
  await home.spawn("echo here; exec cat", { name: "one" });
  writeFileSync(
    join(home.home, "tui.json"),
    JSON.stringify({
      prefix: "ctrl+a",
      keys: { direct: { "alt+w": "palette", "alt+p": null }, prefix: { y: "detach" } },
    }),
  );
  const tui = await opened(home, "here");
  tui.press("alt+w");
  await tui.shows("Commands");
  tui.press("esc");
  await tui.hides("Commands");
  tui.type("\x01y");
  expect(await tui.ended()).toBe(0);
  writeFileSync(join(home.home, "tui.json"), JSON.stringify({ keys: { direct: { "hyper+x": "zoom" } } }));
  const wrong = new Tui(home.home);
  expect(await wrong.ended()).toBe(7);
  expect(wrong.text()).toContain('"hyper+x" is not a key');
});
