/** `amux attach` and `amux run` in a terminal, with keys. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTmux } from "../status/support/tmux.ts";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { terminalState } from "./support/terminal-state.ts";
import { waitFor } from "../support/wait-for.ts";

const DETACH = "\x02d";

test("run attaches; detaching leaves the session running; attaching again shows it; its exit code is returned", async () => {
  const home = new TestHome();
  const first = new CliTerminal(
    ["run", "--name", "demo", "--", "sh", "-c", "echo hello; read line; echo got $line; exit 6"],
    home.home,
  );
  await first.sees("hello");
  first.type(DETACH);
  expect(await first.ended()).toBe(0);
  await first.sees("[detached from sess-");
  const [id = ""] = await home.client.list();
  expect((await home.meta(id)).alive).toBe(true);
  const second = new CliTerminal(["attach", "demo"], home.home);
  await second.sees("hello");
  second.type("word\r");
  await second.sees("got word");
  expect(await second.ended()).toBe(6);
  expect(await home.waitForEnd(id)).toMatchObject({ exit_code: 6 });
});

test("Ctrl-C, Ctrl-Z and Ctrl-\\ go to the program, and the attachment stays", async () => {
  const home = new TestHome();
  const traps = "trap 'echo got INT' INT; trap 'echo got QUIT' QUIT; trap 'echo got TSTP' TSTP";
  await home.spawn(`${traps}; echo ready; while :; do sleep 0.05; done`, { name: "one" });
  const terminal = new CliTerminal(["attach", "one"], home.home);
  await terminal.sees("ready");
  for (const [key, name] of [
    ["\x03", "INT"],
    ["\x1a", "TSTP"],
    ["\x1c", "QUIT"],
  ] as const) {
    terminal.type(key);
    await terminal.sees(`got ${name}`);
  }
  expect(terminal.exitCode).toBeUndefined();
  terminal.type(DETACH);
  expect(await terminal.ended()).toBe(0);
});

test("the session takes the terminal's size, and follows it", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done");
  await home.waitForText(id, "ready");
  const terminal = new CliTerminal(["attach", id], home.home, { cols: 91, rows: 27 });
  await terminal.sees("27 91");
  terminal.emulator.terminal.resize(70, 20);
  terminal.pty.resize(70, 20);
  await terminal.sees("20 70");
  terminal.type(DETACH);
  await terminal.ended();
});

test("every mode the program set is reset when the terminal is restored", async () => {
  const home = new TestHome();
  const modes = "\\033[?1049h\\033[?1003h\\033[?1006h\\033[?2004h\\033[?25l\\033[>1u\\033[2;5r\\033[?7l\\033[31;7m";
  const id = await home.spawn(`printf '${modes}inside'; exec cat`);
  await home.waitForText(id, "inside");
  const before = new CliTerminal(["--version"], home.home);
  await before.ended();
  const { runner_pid } = await home.meta(id);
  for (const [leave, exitCode] of [
    [DETACH, 0],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["end of the runner", 12],
  ] as const) {
    const terminal = new CliTerminal(["attach", id], home.home);
    await terminal.sees("inside");
    expect(terminal.emulator.terminal.buffer.active.type).toBe("alternate");
    if (leave === "end of the runner") process.kill(runner_pid, "SIGKILL");
    else if (leave === DETACH) terminal.type(leave);
    else process.kill(terminal.pty.pid, leave);
    expect(await terminal.ended()).toBe(exitCode);
    const after = terminalState(terminal.emulator) as Record<string, unknown>;
    const wanted = terminalState(before.emulator) as Record<string, unknown>;
    for (const field of ["alternate", "modes", "mouseEncoding", "cursorHidden", "charset"])
      expect(after[field]).toEqual(wanted[field]);
    expect(terminal.written).toContain("\x1b[<9u");
    if (exitCode === 12) await terminal.sees("amux: The connection to the session was lost.");
    else expect((await home.meta(id)).alive).toBe(true);
  }
});

test("a program's queries are answered once, by the runner", async () => {
  const home = new TestHome();
  const id = await home.spawn("stty raw -echo; read go; printf '\\033[c\\033[6n\\033]11;?\\007'; sleep 1; exec cat -v");
  const terminal = new CliTerminal(["attach", id], home.home);
  await waitFor("the attachment", async () => terminal.written.includes("\x1b[?2026l"));
  terminal.type("\r\n");
  await terminal.sees("^[[?1;2c");
  // Sent after all other answers.
  terminal.type("after all answers\r\n");
  await terminal.sees("after all answers");
  const text = terminal.screen().join("");
  expect(text.match(/\^\[\[\?1;2c/g)).toHaveLength(1);
  expect(text.match(/\^\[\]11;rgb/g)).toHaveLength(1);
  terminal.type(DETACH);
  await terminal.ended();
});

test("with two terminals the other one's size is explained, and any key takes over", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const small = new CliTerminal(["attach", id], home.home, { cols: 60, rows: 15 });
  await waitFor("the small one", async () => (await home.meta(id)).terminal_cols === 60);
  const large = new CliTerminal(["attach", id], home.home, { cols: 120, rows: 40 });
  await small.sees("The session is shown elsewhere in 120 x 40.");
  // It sends its size before it attaches, and owns the session after that.
  await waitFor("the large one to own it", async () => (await home.meta(id)).viewers === 2);
  // What it typed comes after everything that it sends at its start.
  large.type("from the large one\r");
  await home.waitForText(id, "from the large one");
  small.type("x");
  await waitFor("the small one to own it", async () => (await home.meta(id)).terminal_cols === 60);
  small.type("hello\r");
  await small.sees("hello");
  expect(await home.text(id)).not.toContain("xhello");
  for (const terminal of [small, large]) terminal.type(DETACH);
  await Promise.all([small.ended(), large.ended()]);
});

test("read-only attaching types nothing and changes no size", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo look; exec cat");
  const terminal = new CliTerminal(["attach", "-r", id], home.home, { cols: 120, rows: 40 });
  await terminal.sees("look");
  terminal.type("typed\r");
  terminal.type(DETACH);
  await terminal.ended();
  expect(await home.text(id)).not.toContain("typed");
  expect((await home.meta(id)).terminal_cols).toBe(80);
});

test("a session's own terminal is not attached to another by accident", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const within = new CliTerminal(["attach", id], home.home, undefined, { AMUX_SESSION_ID: "sess-aaaaaaaa" });
  expect(await within.ended()).toBe(2);
  await within.sees("This terminal is session sess-aaaaaaaa itself.");
  const itself = new CliTerminal(["attach", id], home.home, undefined, { AMUX_SESSION_ID: id });
  expect(await itself.ended()).toBe(2);
  const nested = new CliTerminal(["run", "--", "sleep", "100"], home.home, undefined, {
    AMUX_SESSION_ID: "sess-aaaaaaaa",
  });
  expect(await nested.ended()).toBe(0);
  await nested.sees("the new one runs in the background");
  expect(await home.client.list()).toHaveLength(2);
});

test("a tmux session with a status file is attached by tmux", async () => {
  const home = new TestHome();
  const tmux = startTmux();
  tmux.run("new-session", "-d", "-s", "shop", "-x", "80", "-y", "20", "echo from tmux; sleep 1000");
  mkdirSync(join(home.home, ".claude-sessions"));
  const file = { tmux_session: "shop", status: "working", timestamp: 1, amux: { tmux_socket: tmux.socket } };
  writeFileSync(join(home.home, ".claude-sessions", "shop.json"), JSON.stringify(file));
  const terminal = new CliTerminal(["attach", "shop"], home.home);
  await terminal.sees("from tmux");
  terminal.type(DETACH);
  expect(await terminal.ended()).toBe(0);
  expect(tmux.run("list-sessions", "-F", "#{session_name}")).toBe("shop");
  const unknown = new CliTerminal(["attach", "shopp"], home.home);
  expect(await unknown.ended()).toBe(8);
});
