import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../../src/agents/adapter.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import { asObject, type Json } from "../../src/lib/json/fields.ts";
import { HOOK_SCRIPT } from "../../src/lib/process/hook-program.ts";
import type { HookInstallation } from "../../src/core/hooks.ts";
import { hookState, installHooks, uninstallHooks } from "../../src/status/hook-install.ts";
import { tempHome } from "../support/temp-home.ts";

const SETTINGS_AGENTS = ["claude", "codex", "gemini", "copilot", "cursor", "droid", "qwen"];
const FILE_AGENTS = ["grok", "opencode", "pi", "omp"];
const NEWEST = "9.9.9";

async function placeOf(
  agent: string,
  home: string,
  script = `/opt/amux/dist/${HOOK_SCRIPT}`,
  version: string | undefined = NEWEST,
): Promise<HookInstallation> {
  const env: AgentEnv = { home, platform: "linux", vars: {} };
  const adapter = await new AgentRegistry().get(agent);
  const target = adapter.hooks!.target(env, { node: "/usr/bin/node", script }, version);
  return { agent, target, isOurs: (text) => text.includes(HOOK_SCRIPT), home: join(home, ".agent-mux") };
}

const TURN_ENDS: Record<string, string> = { copilot: "agentStop", cursor: "stop", gemini: "AfterAgent" };
const event = (agent: string): string => TURN_ENDS[agent] ?? "Stop";

/** Agents whose entries are hooks, not lists of hooks. */
const isFlat = (agent: string): boolean => agent === "copilot" || agent === "cursor";

/** A user's own hook in the agent's format. */
function theirs(agent: string): Json {
  if (agent === "cursor") return { command: "say done" };
  return agent === "copilot"
    ? { type: "command", bash: "say done", timeoutSec: 5 }
    : { matcher: "*", hooks: [{ type: "command", command: "say done" }] };
}

const STYLES: Record<string, (agent: string) => string | undefined> = {
  "no file": () => undefined,
  "an empty file": () => "",
  "an empty object": () => "{}",
  "an empty object of hooks": () => '{ "hooks": {} }\n',
  "other settings": () => '{\n  "model": "opus",\n  "env": { "A": "b" },\n  "list": [1, 2, 3]\n}\n',
  "hooks of the same event": (agent) =>
    `${JSON.stringify({ a: 1, hooks: { [event(agent)]: [theirs(agent)] }, z: 2 }, null, 4)}\n`,
  "tabs and no final line break": (agent) => JSON.stringify({ hooks: { Other: [theirs(agent)] } }, null, "\t"),
  "Windows line ends and a byte order mark": () => '\ufeff{\r\n  "a": "ä",\r\n  "b": []\r\n}\r\n',
};

describe.each(SETTINGS_AGENTS)("settings of %s", (agent) => {
  it.each(Object.keys(STYLES))("with %s: installed once, kept intact, restored to the byte", async (style) => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    const { path } = place.target;
    const before = STYLES[style]!(agent);
    if (before !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, before);
    }
    expect(hookState(place)).toBe("absent");
    expect(installHooks(place)).toBe(true);
    expect(hookState(place)).toBe("installed");
    const after = readFileSync(path, "utf8");
    const settings = JSON.parse(after.replace(/^\ufeff/, "")) as Json;
    const original =
      before === undefined || before.trim() === "" ? {} : (JSON.parse(before.replace(/^\ufeff/, "")) as Json);
    for (const [key, value] of Object.entries(original)) if (key !== "hooks") expect(settings[key]).toEqual(value);
    for (const [name, list] of Object.entries(asObject(original["hooks"]) ?? {})) {
      expect(asObject(settings["hooks"])?.[name]).toEqual(expect.arrayContaining(list as unknown[]));
    }
    expect(after.startsWith("\ufeff")).toBe(before?.startsWith("\ufeff") ?? false);
    expect(after.includes("\r\n")).toBe(before?.includes("\r\n") ?? false);

    expect(installHooks(place)).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(after);

    expect(uninstallHooks(place)).toBe(true);
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(before);
    if (before === undefined) expect(readdirSync(home)).toEqual([".agent-mux"]);
    expect(uninstallHooks(place)).toBe(false);
  });

  it("changed by the user since: only our part goes", async () => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    const { path } = place.target;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ hooks: { [event(agent)]: [theirs(agent)] } }, null, 2));
    installHooks(place);
    const settings = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, Json[]> };
    settings.hooks["Mine"] = [theirs(agent)];
    // Into the middle of ours, as an editor or another tool may do.
    if (!isFlat(agent))
      (settings.hooks[event(agent)]![1]!["hooks"] as Json[]).push({ type: "command", command: "mine too" });
    writeFileSync(path, JSON.stringify({ ...settings, theme: "dark" }, null, 2));
    expect(uninstallHooks(place)).toBe(true);
    const rest = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, Json[]>; theme: string };
    expect(JSON.stringify(rest)).not.toContain(HOOK_SCRIPT);
    expect(rest.theme).toBe("dark");
    expect(rest.hooks["Mine"]).toEqual([theirs(agent)]);
    expect(rest.hooks[event(agent)]![0]).toEqual(theirs(agent));
    if (!isFlat(agent))
      expect(rest.hooks[event(agent)]![1]).toEqual({ hooks: [{ type: "command", command: "mine too" }] });
  });

  it("of an amux in another place: updated, and still restored to the byte", async () => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    const { path } = place.target;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{"a":1}');
    installHooks(place);
    const moved = await placeOf(agent, home, `/home/me/it's here/${HOOK_SCRIPT}`);
    expect(hookState(moved)).toBe("outdated");
    expect(installHooks(moved)).toBe(true);
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("/opt/amux");
    expect(text).toContain("s here");
    expect(hookState(moved)).toBe("installed");
    uninstallHooks(moved);
    expect(readFileSync(path, "utf8")).toBe('{"a":1}');
  });

  it.each(["{ oops", "[]", '{"hooks": []}', '// comment\n{"a": 1}', `{"hooks": {"${"EVENT"}": {}}}`])(
    "%j is left unchanged",
    async (template) => {
      const text = template.replace("EVENT", event(agent));
      const home = tempHome().path;
      const place = await placeOf(agent, home);
      mkdirSync(dirname(place.target.path), { recursive: true });
      writeFileSync(place.target.path, text);
      expect(() => installHooks(place)).toThrow(/left as it is/);
      expect(readFileSync(place.target.path, "utf8")).toBe(text);
    },
  );

  it("behind a link stay behind the link, with their mode", async () => {
    const home = tempHome();
    const place = await placeOf(agent, home.path);
    const real = home.write("dotfiles/settings.json", "{}\n");
    chmodSync(real, 0o640);
    mkdirSync(dirname(place.target.path), { recursive: true });
    symlinkSync(real, place.target.path);
    installHooks(place);
    expect(lstatSync(place.target.path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain(HOOK_SCRIPT);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    uninstallHooks(place);
    expect(readFileSync(real, "utf8")).toBe("{}\n");
  });
});

const YAML_STYLES: Record<string, string | undefined> = {
  "no file": undefined,
  "an empty file": "",
  "only a comment": "# mine\n",
  "other settings": "model:\n  default: m # the best\nlist:\n- a\n- b\ntext: |\n  hooks:\n  # no\n",
  "no final line break": "model: m",
  "empty hooks": "---\nhooks: {} # none yet\n\nmodel: m\n",
  "hooks of the same event":
    "hooks:\n    # when it ends\n    on_session_end:\n        - command: say done # loud\n          timeout: 5\n\n    output_spill: {a: 1}\n\n# below\nmodel: m\n",
  "lists that are not indented":
    "hooks:\n  on_session_end:\n  - command: a\n  - matcher: x\n    command: b\n  pre_llm_call: []\nz: 1\n",
  "Windows line ends and a byte order mark": "\ufeffmodel: m\r\nhooks:\r\n  other:\r\n    - command: a\r\n",
};

describe("the YAML settings of hermes", () => {
  it.each(Object.keys(YAML_STYLES))("with %s: installed once, kept intact, restored to the byte", async (style) => {
    const home = tempHome().path;
    const place = await placeOf("hermes", home);
    const { path } = place.target;
    const before = YAML_STYLES[style];
    if (before !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, before);
    }
    expect(hookState(place)).toBe("absent");
    expect(installHooks(place)).toBe(true);
    expect(hookState(place)).toBe("installed");
    const after = readFileSync(path, "utf8");
    const kept = after.split(/\r?\n/);
    for (const line of (before ?? "").split(/\r?\n/))
      expect(kept).toContain(line.replace(/: (?:\{\}|\[\])( |$)/, ":$1"));
    expect(after.match(new RegExp(HOOK_SCRIPT.replace(".", "\\."), "g"))).toHaveLength(10);
    expect(after.includes("\r\n")).toBe(before?.includes("\r\n") ?? false);
    expect(installHooks(place)).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(after);
    expect(uninstallHooks(place)).toBe(true);
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(before);
    if (before === undefined) expect(readdirSync(home)).toEqual([".agent-mux"]);
    expect(uninstallHooks(place)).toBe(false);
  });

  it("put ours beside the user's, as a YAML reader expects", async () => {
    const home = tempHome().path;
    const place = await placeOf("hermes", home, `/it's here/${HOOK_SCRIPT}`);
    mkdirSync(dirname(place.target.path), { recursive: true });
    writeFileSync(place.target.path, "hooks:\n  on_session_end:\n  - command: mine\n\n  # other\nmodel: m\n");
    installHooks(place);
    const lines = readFileSync(place.target.path, "utf8").split("\n");
    const own = lines[3]!;
    expect(JSON.parse(own.replace(/^ {2}- command: /, ""))).toContain(`it'\\''s here/${HOOK_SCRIPT}`);
    expect([...lines.slice(0, 3), ...lines.slice(4, 7)]).toEqual([
      "hooks:",
      "  on_session_end:",
      "  - command: mine",
      "    timeout: 3",
      "  on_session_start:",
      `    ${own.trimStart()}`,
    ]);
    expect(lines.slice(-4)).toEqual(["", "  # other", "model: m", ""]);
  });

  it("changed by the user since: only our part goes", async () => {
    const home = tempHome().path;
    const place = await placeOf("hermes", home);
    const { path } = place.target;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "hooks:\n  on_session_end:\n    - command: mine\n");
    installHooks(place);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, `${text}theme: dark\n`);
    expect(hookState(place)).toBe("installed");
    expect(uninstallHooks(place)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("hooks:\n  on_session_end:\n    - command: mine\ntheme: dark\n");
  });

  it("of an amux in another place: updated, and still restored to the byte in YAML", async () => {
    const home = tempHome().path;
    const place = await placeOf("hermes", home);
    const { path } = place.target;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "a: 1");
    installHooks(place);
    const moved = await placeOf("hermes", home, `/elsewhere/${HOOK_SCRIPT}`);
    expect(hookState(moved)).toBe("outdated");
    expect(installHooks(moved)).toBe(true);
    expect(readFileSync(path, "utf8")).not.toContain("/opt/amux");
    uninstallHooks(moved);
    expect(readFileSync(path, "utf8")).toBe("a: 1");
  });

  it.each([
    "hooks: {on_session_end: [{command: a}]}\n",
    "hooks: &mine\n  other: []\n",
    "hooks:\n- a\n",
    "hooks:\n  on_session_end: {}x\n",
    "hooks:\n  on_session_end:\n    command: a\n",
    "{a: 1}\n",
    "- a\n",
    "a: 1\n---\nb: 2\n",
    "hooks:\n  <<: *base\n",
  ])("%j is left unchanged", async (text) => {
    const home = tempHome().path;
    const place = await placeOf("hermes", home);
    mkdirSync(dirname(place.target.path), { recursive: true });
    writeFileSync(place.target.path, text);
    expect(() => installHooks(place)).toThrow(/left as it is/);
    expect(readFileSync(place.target.path, "utf8")).toBe(text);
  });
});

const TOML_STYLES: Record<string, string | undefined> = {
  "no file": undefined,
  "an empty file": "",
  "other settings": 'default_model = "m" # the best\n[providers.m]\ntype = "openai"\n',
  "no final line break": "a = 1",
  "hooks of the same event": '[[hooks]]\nevent = "Stop"\ncommand = "say done"\n\n[models.m]\nprovider = "m"\n',
  "Windows line ends": '[a]\r\nb = "ä"\r\n',
};

describe("the TOML settings of kimi", () => {
  it.each(Object.keys(TOML_STYLES))("with %s: installed once, kept intact, restored to the byte", async (style) => {
    const home = tempHome().path;
    const place = await placeOf("kimi", home, `/it's "here"/${HOOK_SCRIPT}`);
    const { path } = place.target;
    const before = TOML_STYLES[style];
    if (before !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, before);
    }
    expect(hookState(place)).toBe("absent");
    expect(installHooks(place)).toBe(true);
    expect(hookState(place)).toBe("installed");
    const after = readFileSync(path, "utf8");
    expect(after.startsWith(before ?? "")).toBe(true);
    const added = after.slice(before?.length ?? 0).split(/\r?\n/);
    expect(added.filter((line) => line === "[[hooks]]")).toHaveLength(13);
    const command = added.find((line) => line.startsWith("command = "))!;
    expect(JSON.parse(command.slice("command = ".length))).toContain(`it'\\''s "here"/${HOOK_SCRIPT}`);
    expect(after.includes("\r\n")).toBe(before?.includes("\r\n") ?? false);
    expect(installHooks(place)).toBe(false);
    expect(uninstallHooks(place)).toBe(true);
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(before);
    if (before === undefined) expect(readdirSync(home)).toEqual([".agent-mux"]);
    expect(uninstallHooks(place)).toBe(false);
  });

  it("changed since by the user and by a newer amux: only our part goes", async () => {
    const home = tempHome().path;
    const place = await placeOf("kimi", home);
    const { path } = place.target;
    mkdirSync(dirname(path), { recursive: true });
    const mine = '[[hooks]]\nevent = "Stop"\ncommand = "mine"\n';
    writeFileSync(path, mine);
    installHooks(place);
    writeFileSync(path, `${readFileSync(path, "utf8")}\n[theme]\nname = "dark"\n`);
    const moved = await placeOf("kimi", home, `/elsewhere/${HOOK_SCRIPT}`);
    expect(hookState(moved)).toBe("outdated");
    expect(installHooks(moved)).toBe(true);
    expect(readFileSync(path, "utf8")).not.toContain("/opt/amux");
    expect(uninstallHooks(moved)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(`${mine}\n[theme]\nname = "dark"\n`);
  });

  it.each(["hooks = []\n", "[hooks]\na = 1\n", "[ hooks.x ]\n", '"hooks" = 1\n', "hooks.a = 1\n"])(
    "%j is left unchanged",
    async (text) => {
      const home = tempHome().path;
      const place = await placeOf("kimi", home);
      mkdirSync(dirname(place.target.path), { recursive: true });
      writeFileSync(place.target.path, text);
      expect(() => installHooks(place)).toThrow(/left as it is/);
      expect(readFileSync(place.target.path, "utf8")).toBe(text);
    },
  );
});

describe.each(FILE_AGENTS)("the module for %s", (agent) => {
  it("is written, replaced and removed with the directories created for it", async () => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    expect(installHooks(place)).toBe(true);
    expect(installHooks(place)).toBe(false);
    const moved = await placeOf(agent, home, `/elsewhere/${HOOK_SCRIPT}`);
    expect(hookState(moved)).toBe("outdated");
    expect(installHooks(moved)).toBe(true);
    expect(readFileSync(place.target.path, "utf8")).toContain("/elsewhere/");
    expect(uninstallHooks(moved)).toBe(true);
    expect(readdirSync(home)).toEqual([".agent-mux"]);
  });

  it("does not replace or remove another program's file", async () => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    mkdirSync(dirname(place.target.path), { recursive: true });
    writeFileSync(place.target.path, "export default 1;\n");
    expect(() => installHooks(place)).toThrow(/not of amux/);
    expect(uninstallHooks(place)).toBe(false);
    expect(readFileSync(place.target.path, "utf8")).toBe("export default 1;\n");
  });

  it("leaves other files in its directory", async () => {
    const home = tempHome().path;
    const place = await placeOf(agent, home);
    installHooks(place);
    const neighbour = join(dirname(place.target.path), "mine.js");
    writeFileSync(neighbour, "1");
    uninstallHooks(place);
    expect(readdirSync(dirname(place.target.path))).toEqual(["mine.js"]);
  });
});

describe("events that a version does not know", () => {
  it.each([
    [
      undefined,
      [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Notification",
        "Stop",
        "SubagentStop",
        "SessionEnd",
      ],
    ],
    [
      "1.0.85",
      [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Notification",
        "Stop",
        "SubagentStop",
        "SessionEnd",
      ],
    ],
    [
      "2.0.77",
      [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Notification",
        "Stop",
        "SubagentStop",
        "SessionEnd",
        "SubagentStart",
        "PermissionRequest",
      ],
    ],
  ])("are not written for Claude Code %s, which would discard its settings", async (version, events) => {
    const env: AgentEnv = { home: "/h", platform: "linux", vars: {} };
    const { hooks } = await new AgentRegistry().get("claude");
    const target = hooks!.target(env, { node: "n", script: "s" }, version);
    expect(target.kind === "settings" ? Object.keys(target.entries) : []).toEqual(events);
  });
});

it("settings that are not UTF-8 are left unchanged", async () => {
  const home = tempHome().path;
  const place = await placeOf("claude", home);
  mkdirSync(dirname(place.target.path), { recursive: true });
  writeFileSync(place.target.path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
  expect(() => installHooks(place)).toThrow(/not UTF-8/);
});
