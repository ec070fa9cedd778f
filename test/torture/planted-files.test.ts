/** Something other than a file in the place of each file that commands read. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { isLong } from "./long-form.ts";

const PLACES: readonly (readonly [file: string, ...commands: readonly string[]])[] = [
  [".gemini/projects.json", "sessions list"],
  [".pi/agent/settings.json", "sessions list"],
  [".openclaw/agents/a/sessions/sessions.json", "sessions list"],
  [".claude/projects/-p/session.jsonl", "sessions list", "sessions search x"],
  [".claude/projects/-p/11111111-1111-4111-8111-111111111111.jsonl", "sessions list", "sessions search x"],
  [".codex/config.toml", "agents"],
  [".copilot/config.json", "agents"],
  [".claude/settings.json", "hooks status"],
  [".gemini/settings.json", "hooks status"],
  [".hermes/config.yaml", "hooks status"],
  [".cursor/hooks.json", "hooks status"],
  [".kimi-code/config.toml", "hooks status"],
  [".qwen/settings.json", "hooks status"],
  [".agent-mux/index.db", "sessions search x", "sessions list"],
  [".agent-mux/prices.json", "sessions list"],
  [".agent-mux/config.json", "config list"],
  [".agent-mux/peers.json", "ls", "attention"],
  [".agent-mux/attention.json", "attention"],
  [".agent-mux/trust.json", "trust list"],
  [".agent-mux/snoozed.json", "attention"],
  [".agent-mux/tasks.json", "tasks"],
];

const PLANTS: Readonly<Record<string, (path: string) => void>> = {
  "a FIFO": (path) => execFileSync("mkfifo", [path]),
  "a link to /dev/zero": (path) => symlinkSync("/dev/zero", path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a directory": (path) => mkdirSync(path),
  "10 GB of zeros": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 10 * 1024 ** 3);
  },
};

/** A file of zeros is still a file, and every line of a conversation is read. */
const READ_TO_THE_END = ".jsonl";

describe.each(isLong ? Object.keys(PLANTS) : ["a FIFO", "10 GB of zeros"])("%s in the place of a file", (plant) => {
  it("stops no command and is not reported as a bug", async () => {
    const home = tempHome();
    for (const [file, ...commands] of PLACES) {
      if (plant === "10 GB of zeros" && file.endsWith(READ_TO_THE_END)) continue;
      const path = join(home.path, file);
      mkdirSync(dirname(path), { recursive: true });
      // A list may have created one.
      rmSync(path, { recursive: true, force: true });
      PLANTS[plant]!(path);
      for (const command of commands) {
        const { code, stderr } = await warmCli(command.split(" "), { home: home.path });
        expect(code, `${file}: amux ${command}: ${stderr}`).toBeLessThan(20);
        expect(stderr, `${file}: amux ${command}`).not.toContain("    at ");
      }
      rmSync(path, { recursive: true, force: true });
    }
  });
});

it("doctor names each file that something else replaced", async () => {
  const home = tempHome();
  const planted = PLACES.map(([file]) => file).filter((file) => !NAMED_ELSEWHERE.some((end) => file.endsWith(end)));
  for (const file of planted) {
    mkdirSync(dirname(join(home.path, file)), { recursive: true });
    PLANTS["a FIFO"]!(join(home.path, file));
  }
  const { code, stdout, stderr } = await warmCli(["doctor"], { home: home.path });
  expect(code).toBe(0);
  const said = (stdout + stderr).replaceAll(": is not", " is not");
  const unnamed = planted.filter((file) => !said.includes(`${file} is not a regular file`));
  expect(unnamed).toEqual([]);
});

/** Read when an agent is asked for its capabilities; without prices amux stops with an error. */
const NAMED_ELSEWHERE = [".codex/config.toml", ".copilot/config.json", ".agent-mux/prices.json"];
