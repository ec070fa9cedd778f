/** Profiles, configuration files, and their precedence. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { RunDefaults } from "../core/run-options.ts";
import { ConfigManager } from "./config.ts";
import { findConfigDirectories } from "./config-directories.ts";
import { ProfileManager } from "./profiles.ts";
import { planRun } from "./run-plan.ts";

function set() {
  const home = tempHome();
  const project = join(home.path, "code/shop");
  const cwd = join(project, "src/deep");
  mkdirSync(join(project, ".agent-mux"), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  const places = findConfigDirectories({ home: home.path, platform: "linux", vars: {} }, cwd);
  const config = new ConfigManager(places, cwd);
  const profiles = new ProfileManager(places, cwd);
  return { home, project, cwd, places, config, profiles };
}

const write = (path: string, content: unknown): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
};

describe("locations", () => {
  it("are the home and the nearest project above, which is never the home itself", () => {
    const { home, project, places } = set();
    expect(places).toEqual({ global: join(home.path, ".agent-mux"), project: join(project, ".agent-mux") });
    mkdirSync(join(home.path, ".agent-mux"));
    const env = { home: home.path, platform: "linux" as const, vars: {} };
    expect(findConfigDirectories(env, join(home.path, "code")).project).toBeUndefined();
  });

  it("can be set by variables", () => {
    const vars = { AGENT_MUX_CONFIG_DIR: "/etc/amux", AGENT_MUX_PROJECT_DIR: "/srv/amux" };
    const places = findConfigDirectories({ home: "/home/me", platform: "linux", vars }, "/");
    expect(places).toEqual({ global: "/etc/amux", project: "/srv/amux" });
  });
});

describe("precedence", () => {
  it("is the run, its profile, the client, the project, the user, the built-in value", () => {
    const { config, profiles, cwd } = set();
    const plan = (options = {}, client = {}) =>
      planRun({ agent: "codex", prompt: "Hi", ...options }, { config, profiles, client, cwd });
    const seen: unknown[] = [plan().timeoutMs];
    config.set("timeout", 1);
    seen.push(plan().timeoutMs);
    config.set("agents.codex.timeout", 2);
    seen.push(plan().timeoutMs, plan({ agent: "pi" }).timeoutMs);
    config.set("timeout", 3, { scope: "project" });
    seen.push(plan().timeoutMs);
    seen.push(plan({}, { timeout: 4 }).timeoutMs);
    profiles.set("p", { timeout: 5 });
    seen.push(plan({ profile: "p" }, { timeout: 4 }).timeoutMs);
    seen.push(plan({ profile: "p", timeout: 6 }, { timeout: 4 }).timeoutMs);
    expect(seen).toEqual([0, 1, 2, 1, 3, 4, 5, 6]);
  });

  it("replaces lists and merges objects", () => {
    const { config, profiles, cwd } = set();
    config.set("retryPolicy.maxAttempts", 7);
    config.set("tags", ["a"]);
    const options = { prompt: "Hi", agent: "pi", tags: ["b"], retryPolicy: { baseDelayMs: 9 } };
    const plan = planRun(options, { config, profiles, client: {}, cwd });
    expect(plan.retry).toMatchObject({ maxAttempts: 7, baseDelayMs: 9, maxDelayMs: 30_000 });
    expect(plan.tags).toEqual(["b"]);
  });

  it("finds the agent in the profile, then in the settings", () => {
    const { config, profiles, cwd } = set();
    const plan = (profile?: string) =>
      planRun({ prompt: "Hi", ...(profile ? { profile } : {}) }, { config, profiles, client: {}, cwd });
    expect(() => plan()).toThrow("agent is not named");
    config.set("defaultAgent", "pi");
    profiles.set("p", { agent: "codex", model: "gpt" });
    expect([plan().agent, plan("p").agent, plan("p").options.model]).toEqual(["pi", "codex", "gpt"]);
  });
});

describe("configuration", () => {
  it("is listed value by value with its source", () => {
    const { config } = set();
    config.set("agents.pi.model", "opus");
    config.set("timeout", 5, { scope: "project" });
    expect(config.list()).toEqual(
      expect.arrayContaining([
        { key: "agents.pi.model", value: "opus", source: "global" },
        { key: "timeout", value: 5, source: "project" },
        { key: "gracePeriodMs", value: 5000, source: "default" },
      ]),
    );
    expect([config.get("agents.pi.model"), config.get("retryPolicy.maxAttempts"), config.get("nope")]).toEqual([
      "opus",
      3,
      undefined,
    ]);
    config.set("agents.pi.model", undefined);
    expect(config.get("agents")).toBeUndefined();
  });

  it("is private to its owner, a project's is not", () => {
    const { config, places } = set();
    config.set("timeout", 1);
    config.set("timeout", 1, { scope: "project" });
    const modes = [places.global, places.project!].map((place) => statSync(join(place, "config.json")).mode & 0o777);
    expect(modes).toEqual([0o600, 0o644]);
  });

  it.each([
    ["{", /config\.json is not valid JSON/],
    ["[]", /config\.json must hold a JSON object/],
    [{ timeout: "soon" }, /config\.json: timeout must be milliseconds, 0 or more/],
    [{ tiemout: 1 }, /config\.json: tiemout is not a setting/],
    [{ agents: { pi: { model: 5 } } }, /config\.json: agents\.pi\.model must be/],
    [{ approvalMode: "yolo" }, /may not set approvalMode to yolo/],
  ])("that is wrong is an error, not a default: %j", (content, message) => {
    const { config, places } = set();
    write(join(places.global, "config.json"), content);
    expect(() => config.defaultsFor("pi")).toThrow(message);
  });

  it.each(["", "__proto__.x", "a..b"])("has no setting called %j", (key) => {
    const { config } = set();
    expect(() => config.set(key, 1)).toThrow();
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("profiles", () => {
  it("of a project override the user's, field by field", () => {
    const { profiles } = set();
    profiles.set("review", { agent: "codex", model: "a", tags: ["x"] });
    profiles.set("review", { model: "b" }, { scope: "project" });
    expect(profiles.show("review")).toEqual({ agent: "codex", model: "b", tags: ["x"] });
    expect(profiles.apply("review", { model: "c" })).toMatchObject({ model: "c" });
    expect(profiles.list()).toEqual([
      { name: "review", scope: "project", hasGlobalOverride: true, model: "b" },
      { name: "review", scope: "global", hasGlobalOverride: false, agent: "codex", model: "a" },
    ]);
    expect(profiles.delete("review", { scope: "project" })).toBe(true);
    expect(profiles.delete("review", { scope: "project" })).toBe(false);
    // Removing from a missing profile must not create one that hides the other.
    const gone = (): void =>
      profiles.set("review", { model: undefined } as object as RunDefaults, { scope: "project" });
    expect(gone).toThrow('There is no project profile "review". amux profiles set makes one.');
    expect(profiles.list({ scope: "project" })).toEqual([]);
    expect(profiles.show("review")).toMatchObject({ model: "a" });
  });

  it("that are broken are listed as such and refused in use", () => {
    const { profiles, places } = set();
    write(join(places.global, "profiles/bad.json"), "{");
    expect(profiles.list()).toMatchObject([{ name: "bad", corrupt: expect.stringContaining("is not valid JSON") }]);
    expect(() => profiles.show("bad")).toThrow("is not valid JSON");
  });

  it.each(["../evil", "", "a/b", "x".repeat(65)])("cannot be called %j", (name) => {
    const { profiles } = set();
    expect(() => profiles.show(name)).toThrow("profile must be 1 to 64 of");
    expect(() => profiles.set(name, { model: "x" })).toThrow("profile must be 1 to 64 of");
  });

  it("hold no option of a single run", () => {
    const { profiles } = set();
    expect(() => profiles.set("p", { prompt: "x" } as never)).toThrow("prompt is not a setting");
  });

  it("of a project can neither approve nor start anything", () => {
    const { profiles, places } = set();
    write(join(places.project!, "profiles/p.json"), { approvalMode: "yolo" });
    write(join(places.project!, "profiles/q.json"), {
      mcpServers: [{ name: "x", transport: "stdio", command: "evil" }],
    });
    expect(() => profiles.show("p")).toThrow("a project does not approve for its user");
    expect(() => profiles.show("q")).toThrow("a project does not choose what is started");
    profiles.set("mine", { approvalMode: "yolo" });
    expect(profiles.show("mine")).toEqual({ approvalMode: "yolo" });
  });

  it("that do not exist are reported with those that do", () => {
    const { profiles } = set();
    profiles.set("fast", { model: "x" });
    expect(() => profiles.show("fats")).toThrow('There is no profile "fats". There are: fast.');
  });
});
