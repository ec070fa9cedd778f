/** A share link of a real daemon opens one redacted session for whoever has it, and nothing else. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShareLink } from "../../src/protocol/share-links.ts";
import { waitFor } from "../support/wait-for.ts";
import { sharedMachine } from "./support/shared-daemon.ts";
import { TestDaemon } from "./support/test-daemon.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";

const ID = "5cbe954d-1b1a-4c3e-9d2b-0a1b2c3d4e5f";
/** Of the other tests, one each. */
const [DOUBTFUL, OF_SHELL, LASTING] = ["a", "b", "c"].map((letter) => ID.replace(/f$/, letter)) as [
  string,
  string,
  string,
];
const SECRET = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");

class SharingMachine extends TestDaemon {
  say(text: string, id = ID): void {
    const directory = join(this.userHome, ".claude/projects/-w");
    mkdirSync(directory, { recursive: true });
    const message = { role: "user", content: text };
    const record = { type: "user", uuid: "u1", sessionId: id, cwd: "/w", timestamp: "2026-05-01T10:00:00Z", message };
    // At once: the half of a large one would be another session.
    const path = join(directory, `${id}.jsonl`);
    writeFileSync(`${path}.part`, `${JSON.stringify(record)}\n`);
    renameSync(`${path}.part`, path);
  }

  amux(...args: string[]): Promise<CliResult> {
    return warmCli(args, { home: this.userHome, vars: this.vars });
  }

  async share(id: string, ...options: string[]): Promise<ShareLink & { link: string }> {
    const { stdout } = await this.amux("share", "create", `claude:${id}`, "--json", ...options);
    return JSON.parse(stdout) as ShareLink & { link: string };
  }
}

describe("a share link", () => {
  const shared = sharedMachine((atEnd) => {
    const machine = new SharingMachine({}, atEnd);
    machine.say(`<script>alert(1)</script> my token is ${SECRET}`);
    machine.say("see x7Kq2mVb9TzR4wLp8NcYd3HsJf6GaE5u1QoZiMtB there", DOUBTFUL);
    machine.say("the word is correct-horse-battery", OF_SHELL);
    machine.say("hello", LASTING);
    return machine;
  });

  it("shows one session without its secrets, until it is revoked", async () => {
    const machine = shared();
    const { id, link, redacted, session } = await machine.share(ID, "--expires", "1h");
    expect(link).toMatch(new RegExp(`^http://127.0.0.1:${machine.port}/shared/[\\w-]{43}$`));
    expect([session, redacted]).toEqual([`claude:${ID}`, 2]);
    const answer = await fetch(link);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(text).toContain("my token is [redacted github-token]");
    expect(text).toContain("2 values were taken out");
    expect(text).not.toContain(SECRET.slice(8));
    expect(text).not.toContain("<script");
    // A snapshot: what was inspected is what is seen.
    machine.say("something said later");
    expect(await (await fetch(link)).text()).toBe(text);

    // The secret opens nothing else.
    const secret = link.split("/").at(-1)!;
    const origin = `http://127.0.0.1:${machine.port}`;
    for (const path of ["/v1/health", "/v1/sessions", "/v1/share-links", `/v1/history/claude:${ID}`]) {
      for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `amux-token=${secret}` }]) {
        expect((await fetch(origin + path, { headers })).status).toBe(401);
      }
    }
    expect((await fetch(link, { method: "POST" })).status).toBe(401);
    expect((await fetch(link, { method: "HEAD" })).status).toBe(200);

    // Nowhere on the disk.
    expect(readFileSync(join(machine.home, "share-links.json"), "utf8")).not.toContain(secret);
    expect(statSync(join(machine.home, "share-links.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(machine.files.log, "utf8")).not.toContain(secret);

    expect(JSON.parse((await machine.amux("share", "list", "--json")).stdout)).toMatchObject([{ id, redacted: 2 }]);
    expect((await machine.amux("share", "list")).stdout).toContain(id);
    expect((await machine.amux("share", "revoke", id)).stdout).toBe(`${id} no longer works.\n`);
    expect((await fetch(link)).status).toBe(404);
    expect((await machine.amux("share", "revoke", id)).code).not.toBe(0);
  });

  it("is refused for a doubtful session, a wrong time, one too large and one that does not exist", async () => {
    const machine = shared();
    const doubtful = await machine.amux("share", "create", `claude:${DOUBTFUL}`);
    expect(doubtful.code).not.toBe(0);
    expect(doubtful.stderr).toContain("may hold a secret");
    expect((await machine.amux("share", "create", `claude:${DOUBTFUL}`, "--expires", "91d")).stderr).toContain(
      "1m to 90d",
    );
    expect((await machine.amux("share", "create", "claude:nothing")).code).not.toBe(0);
    machine.say("harmless words ".repeat(2_500_000), DOUBTFUL);
    const large = await waitFor("its new state", async () => {
      const answer = await machine.amux("share", "create", `claude:${DOUBTFUL}`);
      return answer.stderr.includes("may hold") ? undefined : answer;
    });
    expect(large.stderr).toContain("larger than 32 MB");
    expect(JSON.parse((await machine.amux("share", "list", "--json")).stdout)).toEqual([]);
  });

  it("has no secret of the shell that made it, which the daemon does not know", async () => {
    const machine = shared();
    const vars = { ...machine.vars, SHOP_DB_PASSWORD: "correct-horse-battery" };
    const made = await warmCli(["share", "create", `claude:${OF_SHELL}`, "--json"], { home: machine.userHome, vars });
    const { link } = JSON.parse(made.stdout) as { link: string };
    expect(await (await fetch(link)).text()).toContain("the word is [redacted environment]");
  });

  it("outlives the daemon", async () => {
    const machine = shared();
    const { link } = await machine.share(LASTING);
    await machine.kill("SIGKILL");
    await machine.start();
    expect(await (await fetch(link)).text()).toContain("hello");
  });
});
