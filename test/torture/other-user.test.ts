/** Another user of the machine can read, reach and learn nothing. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tmuxSockets } from "../../src/status/tmux.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { watchHealth } from "../daemon/support/watch-health.ts";
import { waitFor } from "../support/wait-for.ts";
import { needs } from "../support/needs.ts";
import { warmCli } from "../support/warm-cli.ts";
import { figure, isLong } from "./long-form.ts";

const NOBODY = "65534";

/** Tries everything it is given, and prints what it got. */
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

/** What another user can plant above a directory; `$D` is the place. */
const PLANTS: Readonly<Record<string, string>> = {
  provider: `mkdir $D/.agent-mux; echo '{"provider":"'$EVIL'"}' > $D/.agent-mux/tasks.json`,
  navi: `printf 'tasks:\\n  provider: %s\\n' $EVIL > $D/.navi.yaml`,
  "fifo-tasks": "mkdir $D/.agent-mux; mkfifo $D/.agent-mux/tasks.json",
  "fifo-navi": "mkfifo $D/.navi.yaml",
  "fifo-git": "mkfifo $D/.git",
  "fifo-jj": "mkdir $D/.jj; mkfifo $D/.jj/repo",
  backlog: `mkdir -p $D/.agent-mux $D/docs/delivery; echo '{"provider":"markdown-tasks"}' > $D/.agent-mux/tasks.json
    ln -s /dev/zero $D/docs/delivery/backlog.md`,
  pattern: `mkdir $D/.agent-mux; echo '{"branch_patterns":["^(?:(?:a+)+)+(b)$"]}' > $D/.agent-mux/tasks.json
    mkdir -p $D/.git/objects $D/.git/refs/heads; echo "ref: refs/heads/$(printf 'a%.0s' $(seq 60))c" > $D/.git/HEAD`,
  "git-zero": "ln -s /dev/zero $D/.git",
  "jj-zero": "mkdir $D/.jj; ln -s /dev/zero $D/.jj/repo",
  fsmonitor: `mkdir -p $D/.git/objects $D/.git/refs/heads; echo 'ref: refs/heads/main' > $D/.git/HEAD
    printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s\\n' $EVIL > $D/.git/config`,
  gitdir: `mkdir -p $D/evil/objects $D/evil/refs/heads; echo 'ref: refs/heads/main' > $D/evil/HEAD
    printf '[core]\\n\\tbare = false\\n\\tworktree = %s\\n\\tfsmonitor = %s\\n' $D $EVIL > $D/evil/config
    echo "gitdir: $D/evil" > $D/.git`,
  filter: `mkdir -p $D/.git/objects $D/.git/refs/heads; echo 'ref: refs/heads/main' > $D/.git/HEAD
    printf '[filter "x"]\\n\\tclean = %s\\n\\tprocess = %s\\n' $EVIL $EVIL > $D/.git/config
    echo '* filter=x' > $D/.gitattributes; echo text > $D/file`,
  "git-endless": `mkdir -p $D/.git/objects $D/.git/refs/heads; echo 'ref: refs/heads/main' > $D/.git/HEAD
    ln -s /dev/zero $D/.git/refs/heads/main; printf '[core]\\n\\tattributesFile = /dev/zero\\n' > $D/.git/config`,
  "git-pointer": 'mkfifo $D/pipe; echo "gitdir: $D/pipe" > $D/.git',
  "git-common": 'mkdir $D/evil; mkfifo $D/evil/commondir $D/evil/config; echo "gitdir: $D/evil" > $D/.git',
  "fifo-backlog": `mkdir -p $D/.agent-mux $D/docs/delivery; echo '{"provider":"markdown-tasks"}' > $D/.agent-mux/tasks.json
    mkfifo $D/docs/delivery/backlog.md`,
  config: `mkdir $D/.agent-mux; echo '{"model":"planted-model"}' > $D/.agent-mux/config.json
    mkfifo $D/.agent-mux/profiles`,
  large: "mkdir $D/.agent-mux; truncate -s 10G $D/.agent-mux/tasks.json",
  kernel: "mkdir $D/.agent-mux; ln -s /proc/kmsg $D/.agent-mux/tasks.json",
  directory: "mkdir -p $D/.agent-mux/tasks.json $D/.navi.yaml",
  deep: "mkdir $D/.agent-mux; ln -s tasks.json $D/.agent-mux/tasks.json",
};

const AS_NOBODY = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"];

/** More than a daemon with a few sessions needs, less than an endless file takes. */
const MAX_RESIDENT_KB = 600_000;

test(
  "nothing another user plants is run, waited for or read without limit",
  needs(process.getuid?.() === 0 && process.platform === "linux", "to be root on Linux"),
  async () => {
    const place = mkdtempSync("/tmp/amux-plants-");
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    chmodSync(place, 0o1777);
    const evil = join(place, "evil.sh");
    const pwned = join(place, "PWNED");
    const plant = (script: string, D: string): string =>
      execFileSync("setpriv", [...AS_NOBODY, "sh", "-c", script], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], D, EVIL: evil, HOME: place },
      });
    plant(`printf '#!/bin/sh\\nid > ${pwned}\\n' > $EVIL; chmod 755 $EVIL`, place);
    const machine = await new TestDaemon().start();
    const directories: string[] = [];
    for (const [name, script] of Object.entries(PLANTS)) {
      const directory = join(place, name);
      mkdirSync(directory);
      chmodSync(directory, 0o1777);
      plant(script, directory);
      const own = join(directory, "own");
      mkdirSync(own);
      directories.push(own);
    }
    const healthy = watchHealth(machine);
    const options = { home: machine.userHome, vars: machine.vars };
    for (const cwd of directories) {
      // The short form starts one session in each place, by the daemon or by the command.
      const isRepository = /(?:git|jj)/.test(cwd);
      const id = isLong || !isRepository ? await machine.launch("exec sleep 1000", { cwd }) : undefined;
      const commands = [["tasks"], ...(id === undefined ? [] : [["details", id]])];
      if (cwd.includes("/config/")) commands.unshift(["config", "list"]);
      const start = ["run", "-d", "--", "sleep", "1000"];
      const chosen = isLong ? [...commands, start] : isRepository ? [start] : commands.slice(0, 1);
      const said = await Promise.all(chosen.map((command) => warmCli(command, { ...options, cwd })));
      for (const { code, stdout, stderr } of said) {
        expect(code, `${cwd}: ${stderr}`).toBeLessThan(20);
        expect(stderr, cwd).not.toContain("    at ");
        expect(stdout, cwd).not.toContain("planted");
      }
    }
    for (const command of ["projects", "ls", "attention"]) {
      expect((await warmCli([command], options)).code, command).toBeLessThan(20);
    }
    figure("health beside plants of another user", { "longest, ms": await healthy() });
    expect(existsSync(pwned)).toBe(false);
    const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${machine.pid}/status`, "utf8"))![1]);
    expect(resident).toBeLessThan(MAX_RESIDENT_KB);
    expect(readFileSync(machine.files.log, "utf8")).not.toContain("daemon blocked");
  },
);

test(
  "a tmux directory that another user created is not used",
  needs(process.getuid?.() === 0, "to be root"),
  async () => {
    const place = mkdtempSync("/tmp/amux-tmux-");
    const directory = join(place, "tmux-0");
    mkdirSync(directory, { mode: 0o700 });
    const server = createServer().listen(join(directory, "default"));
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      rmSync(place, { recursive: true });
    });
    expect(tmuxSockets({ TMUX_TMPDIR: place }, 0)).toEqual([join(directory, "default")]);
    chownSync(directory, Number(NOBODY), Number(NOBODY));
    expect(tmuxSockets({ TMUX_TMPDIR: place }, 0)).toEqual([]);
  },
);

test(
  "another user gets no file, no socket and no answer",
  needs(process.getuid?.() === 0 && process.platform === "linux", "to be root on Linux"),
  async () => {
    const machine = await new TestDaemon().start();
    const id = await machine.launch("echo my-secret-word; exec cat");
    await waitFor("its output", async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("my-secret-word"),
    );
    // The path is open: amux's own directories must keep others out.
    chmodSync(machine.root, 0o755);
    const script = join(machine.root, "intruder.cjs");
    writeFileSync(script, INTRUDER, { mode: 0o644 });
    const paths = readdirSync(machine.home, { recursive: true, encoding: "utf8" }).map((name) =>
      join(machine.home, name),
    );
    expect(paths.some((path) => path.endsWith(".sock"))).toBe(true);
    const output = execFileSync(
      "setpriv",
      [...AS_NOBODY, ...[process.execPath, script, String(machine.port), machine.home, ...paths]],
      { encoding: "utf8", cwd: "/", env: { PATH: process.env["PATH"] } },
    );
    expect(JSON.parse(output)).toEqual({ uid: Number(NOBODY), got: [] });
  },
);
