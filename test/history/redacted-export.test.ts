/** 200 secrets in every agent's own format: no redacted export and no share link holds one. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeSnapshot } from "../../src/daemon/files/share-snapshot.ts";
import { EXPORT_FORMATS, exportSession } from "../../src/history/export/export.ts";
import type { SessionView } from "../../src/history/session-view.ts";
import { redactedView } from "../../src/redaction/redacted-view.ts";
import { Redactor } from "../../src/redaction/redactor.ts";
import { found, holdsAny, plantedKinds, plantIn, recordedAgents } from "../support/planted-secrets.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli } from "../support/warm-cli.ts";
import { isLong } from "../torture/long-form.ts";

const ID = "5cbe954d-1b1a-4c3e-9d2b-0a1b2c3d4e5f";
const KINDS = plantedKinds(200);
/** Homes that took every secret: a format may keep texts in a form that planting does not find. */
const whole: string[] = [];
const redactor = new Redactor();

async function linkTo(view: SessionView, home: string): Promise<string> {
  const file = join(tempHome().path, "link.html");
  const env = { home, platform: "linux", vars: {} } as const;
  const secrets = { vars: {}, values: [] };
  await writeSnapshot(view, { file, takeUnsure: true, secrets, env, onProgress: () => undefined });
  return readFileSync(file, "utf8");
}

describe.each(recordedAgents())("$agent", ({ home }) => {
  it("no export format and no share link holds any of 200 planted secrets", async () => {
    const copy = join(tempHome().path, "home");
    await plantIn(home, copy, KINDS, standingSessions);
    const sessions = standingSessions(copy);
    const before: string[] = [];
    const after: string[] = [];
    let redacted = 0;
    for (const { agent, sessionId } of await sessions.listAll()) {
      const view = await sessions.open(agent, sessionId);
      // What holds no secret can show none.
      if (!holdsAny(KINDS, [...exportSession(view, "json", { raw: true })].join(""))) continue;
      before.push(...exportSession(view, "json"));
      const clean = await redactedView(view, redactor, { takeUnsure: true, raw: true });
      redacted += clean.summary.redacted!;
      // A link is one of the formats, redacted anew.
      if (isLong || after.length === 0) after.push(await linkTo(view, copy));
      for (const format of EXPORT_FORMATS) after.push(...exportSession(clean, format, { raw: format === "json" }));
    }
    const planted = found(KINDS, before.join("")).length;
    if (planted === KINDS.length) whole.push(home);
    expect(found(KINDS, after.join(""))).toEqual([]);
    expect(redacted).toBeGreaterThanOrEqual(planted);
  });
});

it("every agent's home took all of them", () => {
  const others = recordedAgents().filter(({ home }) => !whole.includes(home));
  expect(others.map(({ agent }) => agent)).toEqual([]);
});

describe("the program", () => {
  const secret = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");
  const doubtful = "x7Kq2mVb9TzR4wLp8NcYd3HsJf6GaE5u1QoZiMtB";

  function homeSaying(text: string): string {
    const home = tempHome().path;
    const directory = join(home, ".claude/projects/-w");
    mkdirSync(directory, { recursive: true });
    const message = { role: "user", content: text };
    const record = {
      type: "user",
      uuid: "u1",
      sessionId: ID,
      cwd: "/w",
      timestamp: "2026-05-01T10:00:00.000Z",
      message,
    };
    writeFileSync(join(directory, `${ID}.jsonl`), `${JSON.stringify(record)}\n`);
    return home;
  }

  it("says how many values were taken out, in every format", async () => {
    const home = homeSaying(`my token is ${secret}`);
    for (const format of EXPORT_FORMATS) {
      const { stdout, stderr } = await warmCli(["export", `claude:${ID}`, "--redact", "--format", format], { home });
      expect(stdout).not.toContain(secret.slice(8));
      expect(stdout).toMatch(/"redacted": ?2|2 values were taken out/);
      expect(stderr).toContain("2 values taken out.");
    }
  });

  it("refuses a session with a doubtful value, unless told to take it out too", async () => {
    const home = homeSaying(`see ${doubtful} there`);
    const refused = await warmCli(["export", `claude:${ID}`, "--redact"], { home });
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toBe("");
    expect(refused.stderr).toContain("may hold a secret: session.title (unlabelled-value, 40 characters), and 1 more");
    const taken = await warmCli(["export", `claude:${ID}`, "--redact", "--take-unsure"], { home });
    expect(taken.code).toBe(0);
    expect(taken.stdout).not.toContain(doubtful);
  });

  it("refuses --take-unsure alone, and rules that cannot be read", async () => {
    const home = homeSaying("hello");
    expect((await warmCli(["export", `claude:${ID}`, "--take-unsure"], { home })).stderr).toContain("--redact");
    mkdirSync(join(home, ".agent-mux"), { recursive: true });
    writeFileSync(join(home, ".agent-mux/redact.json"), "{");
    const refused = await warmCli(["export", `claude:${ID}`, "--redact"], { home });
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toBe("");
    expect(refused.stderr).toContain("redact.json");
  });
});
