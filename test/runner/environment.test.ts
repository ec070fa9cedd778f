/** A program's environment, and that a hostile directory does not affect the runner. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { warmCli } from "../support/warm-cli.ts";
import { TestHome } from "./support/sessions.ts";

test("a program knows its session, and nothing of the outer terminal or of our secrets", async () => {
  const outside = {
    TMUX: "/tmp/x",
    KITTY_WINDOW_ID: "7",
    AMUX_TOKEN: "not-for-programs",
    GMUX: "1",
    TERM: "dumb",
    KEEP_ME: "yes",
  };
  const home = new TestHome(outside);
  const id = await home.spawn("env | sort; echo that is all; exec cat", {
    env: { MINE: "my own", KEEP_ME: "changed" },
  });
  await home.waitForText(id, "that is all");
  const text = await home.text(id, 500);
  const { socket } = home.client.files(id);
  for (const line of [
    `AMUX_SESSION_ID=${id}`,
    `AMUX_SOCKET=${socket}`,
    `GMUX_SOCKET=${socket}`,
    "TERM=xterm-256color",
    "COLORTERM=truecolor",
    "TERM_PROGRAM=amux",
    "MINE=my own",
    "KEEP_ME=changed",
  ]) {
    expect(text.replaceAll("\n", "")).toContain(line);
  }
  expect(text).not.toMatch(/not-for-programs|KITTY_WINDOW_ID|^TMUX=|^GMUX=|MALLOC_|AMUX_CHILD|AMUX_READY/m);
});

test("variables for the program's Node do not affect the runner's", async () => {
  const home = new TestHome({ NODE_OPTIONS: "--require /does/not/exist.js" });
  const id = await home.spawn('echo "options: $NODE_OPTIONS"; exec cat');
  await home.waitForText(id, "options: --require /does/not/exist.js");
});

test("files in the project's directory affect the program, not the runner or the command", async () => {
  const home = new TestHome();
  const project = join(home.home, "project");
  const mark = join(home.home, "mark");
  const trap = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, __filename + "\\n");`;
  const files: Record<string, string> = {
    // Files that Node, Bun, npm and dotenv read in their working directory.
    "package.json": '{"type":"module","imports":{"#x":"./x.js"}, broken',
    "node.config.json": '{"nodeOptions":{"require":["./trap.cjs"]}}',
    "trap.cjs": trap,
    "bunfig.toml": 'preload = ["./trap.cjs"]',
    ".env": "NODE_OPTIONS=--require ./trap.cjs\nAMUX_HOME=/nowhere\nSHELL=/bin/false\n",
    ".npmrc": "node-options=--require ./trap.cjs\n",
    "tsconfig.json": "{",
  };
  for (const name of ["@lydell/node-pty", "@xterm/headless", "zod", "ws", "@photostructure/sqlite"])
    files[`node_modules/${name}/index.js`] = trap;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const vars = { AMUX_HOME: home.home };
  const here = { home: home.home, vars, cwd: project };
  const started = await warmCli(["run", "-d", "--name", "here", "--", "sh", "-c", "pwd; exec cat"], here);
  expect(started.stderr).toBe("");
  await home.waitForText(started.stdout.trim(), project);
  for (const args of [["ls"], ["status"], ["tail", "here"], ["sessions", "list"], ["run", "--", "true"]]) {
    expect([args, await warmCli(args, here)]).toEqual([args, expect.objectContaining({ code: 0 })]);
  }
  expect(existsSync(mark), "nothing of it was run").toBe(false);
});

test("a missing command or directory is reported before anything starts", async () => {
  const home = new TestHome();
  await expect(home.client.spawn({ command: ["no-such-program"], cwd: "/" })).rejects.toThrow(
    "Command not found: no-such-program.",
  );
  writeFileSync(join(home.home, "text"), "no program", { mode: 0o644 });
  for (const program of ["/no/such/program", "./none", join(home.home, "text")]) {
    await expect(home.client.spawn({ command: [program], cwd: "/" })).rejects.toThrow(
      `${program} cannot be run: it is not an executable file.`,
    );
  }
  await expect(home.client.spawn({ command: ["cat"], cwd: "/no/such/place" })).rejects.toThrow(
    "The directory /no/such/place does not exist.",
  );
  expect(await home.client.list()).toEqual([]);
  const run = await warmCli(["run", "-d", "--", "no-such-program"], {
    home: home.home,
    vars: { AMUX_HOME: home.home },
  });
  expect(run).toMatchObject({ code: 127, stderr: "amux: Command not found: no-such-program.\n" });
});
