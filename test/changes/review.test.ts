/** Comments on what a session changed, from the command line to the agent: real runners and commands; the agents are small programs. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Review, ReviewComment, ReviewSent } from "../../src/protocol/review.ts";
import { AgentMachine } from "../daemon/support/agent-machine.ts";
import { link } from "../daemon/support/linked.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { AMUX, type CliResult } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";

const COMPOSER = join(import.meta.dirname, "../status/support/composer.mjs");

const PAY = `export function pay(amount) {
  const cents = amount * 100;
  charge(cents);
  return cents;
}
`;

class Place {
  readonly home = new TestHome();
  readonly work = join(this.home.home, "work");

  constructor() {
    mkdirSync(join(this.work, "src"), { recursive: true });
    this.write(PAY);
  }

  write(text: string): void {
    writeFileSync(join(this.work, "src/pay.ts"), text);
  }

  amux(...args: string[]): Promise<CliResult> {
    return warmCli(args, { home: this.home.home, vars: { AMUX_HOME: this.home.home } });
  }

  async json<Value>(...args: string[]): Promise<Value> {
    const [noun = "", verb = "", ...rest] = args;
    const options = { home: this.home.home, vars: { AMUX_HOME: this.home.home } };
    return (await checkedJson(`${noun} ${verb}`, rest, options)) as Value;
  }

  async agent(name: string, ...args: string[]): Promise<string> {
    const command = [process.execPath, COMPOSER, ...args];
    const id = await this.home.client.spawn({ command, cwd: this.work, kind: "codex", name, rows: 60 });
    await this.home.waitForText(id, "for shortcuts");
    return id;
  }

  async comments(session: string): Promise<ReviewComment[]> {
    return (await this.json<Review[]>("review", "list", session, "--all"))[0]!.comments;
  }

  /** The one review on disk. */
  get file(): string {
    const directory = join(this.home.home, "reviews");
    return join(
      directory,
      readdirSync(directory).find((name) => name.endsWith(".json"))!,
    );
  }
}

const states = (comments: readonly ReviewComment[]): string[] => comments.map(({ state }) => state);

describe("comments on a session's changes", () => {
  it("arrive as one message with file, lines, code and comment, and are sent once", async () => {
    const place = new Place();
    const id = await place.agent("shop", "120");
    expect((await place.amux("review", "add", "shop", "src/pay.ts:2", "Cents are whole: round it.")).code).toBe(0);
    const { id: second } = await place.json<ReviewComment>("review", "add", "shop", "src/pay.ts:3-4", "Await it.");
    expect(second).toBe(2);
    await place.json("review", "edit", "shop", "2", "Await the charge.");
    const sent = await place.json<ReviewSent>("review", "send", "shop");
    expect(sent).toEqual({ session: id, receipt: "delivered", comments: [1, 2] });
    // Its last line: on a busy machine a screen is seen half drawn.
    const screen = (await place.home.waitForText(id, "Await the charge.:")).replaceAll(/[ \t]+$/gm, "");
    expect(screen).toContain(
      [
        "1. src/pay.ts, line 2:",
        "",
        "```ts",
        "  const cents = amount * 100;",
        "```",
        "",
        "Cents are whole: round it.",
        "",
        "2. src/pay.ts, lines 3-4:",
        "",
        "```ts",
        "  charge(cents);",
        "  return cents;",
        "```",
        "",
        "Await the charge.:",
      ].join("\n"),
    );
    const comments = await place.comments("shop");
    expect(comments).toMatchObject([
      { state: "sent", delivery: { to: id, receipt: "delivered" } },
      { state: "sent", delivery: { to: id, receipt: "delivered" } },
    ]);
    const again = await place.amux("review", "send", "shop");
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("All comments were sent or resolved.")]);
    expect((await place.home.text(id)).split("took:")).toHaveLength(2);
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
  });

  it("follow their code, and say when it was changed since or is gone", async () => {
    const place = new Place();
    await place.agent("shop", "120");
    await place.amux("review", "add", "shop", "src/pay.ts:3", "Await it.");
    const where = async (): Promise<object> => {
      const [comment] = await place.comments("shop");
      return { place: comment!.place, line: comment!.line };
    };
    expect(await where()).toEqual({ place: "same", line: 3 });
    place.write(`// Money.\n\n${PAY}`);
    expect(await where()).toEqual({ place: "moved", line: 5 });
    place.write(PAY.replace("charge(cents)", "await charge(cents)"));
    expect(await where()).toEqual({ place: "changed", line: 3 });
    expect((await place.amux("review", "list", "shop")).stdout).toContain("(changed since)");
    place.write(PAY.replace("  charge(cents);\n", ""));
    expect(await where()).toEqual({ place: "gone", line: 3 });
    renameSync(join(place.work, "src/pay.ts"), join(place.work, "src/money.ts"));
    expect((await place.amux("review", "shop")).stdout).toMatch(/src\/pay\.ts:3 \(gone\)\n\s+\| +charge\(cents\);/);
  });

  it("are kept if the command is killed before the receipt, and not typed a second time", async () => {
    const place = new Place();
    // Its Enter is taken for a part of the paste, so that the receipt takes seconds.
    const id = await place.agent("shop", "60000");
    await place.amux("review", "add", "shop", "src/pay.ts:2", "Round it.");
    const env = { PATH: process.env["PATH"], HOME: place.home.home, AMUX_HOME: place.home.home };
    const sending = spawn(process.execPath, [AMUX, "review", "send", "shop"], { env, stdio: "ignore" });
    await place.home.waitForText(id, "Round it.");
    expect(readFileSync(place.file, "utf8")).toContain('"state": "sending"');
    sending.kill("SIGKILL");
    await waitFor("its end", () => sending.exitCode !== null || sending.signalCode !== null);
    expect((await place.amux("review", "list", "shop")).stdout).toContain("no receipt");
    const again = await place.amux("review", "send", "shop");
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("--again")]);
    expect((await place.home.waitForText(id, "Round it.")).split("Round it.")).toHaveLength(2);
  });

  it("stay drafts while the session asks something", async () => {
    const place = new Place();
    const id = await place.agent("shop", "120");
    await place.amux("review", "add", "shop", "src/pay.ts:2", "Round it.");
    // By the source that reported the start: a hook's question so soon after that would be doubted.
    const report = { agent: "codex", state: "permission", message: "Run tests?", source: "agent", ask: "a1" };
    await place.home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(report) });
    const refused = await place.amux("review", "send", "shop");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Run tests?")]);
    expect(states(await place.comments("shop"))).toEqual(["draft"]);
  });

  it("go to another session, and never to a shell, which would run the quoted code", async () => {
    const place = new Place();
    const [first, second] = [await place.agent("shop", "120"), await place.agent("helper", "120")];
    await place.home.spawn("exec cat", { name: "shell", kind: "shell" });
    await place.amux("review", "add", "shop", "src/pay.ts:2", "Round it.");
    const refused = await place.amux("review", "send", "shop", "--to", "shell");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("a shell would run")]);
    expect(await place.json("review", "send", "shop", "--to", "helper")).toMatchObject({ session: second });
    await place.home.waitForText(second, "Round it.");
    expect(await place.home.text(first)).not.toContain("Round it.");
  });

  it("start a new agent with them as its prompt, in the repository", async () => {
    const place = new Place();
    const told = join(place.home.home, "told");
    const bin = join(place.home.home, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "claude"),
      `#!/bin/sh\nfor word; do last=$word; done\npwd > ${told}\necho "$last" >> ${told}\nexec cat\n`,
    );
    chmodSync(join(bin, "claude"), 0o755);
    const id = await place.agent("shop", "120");
    await place.amux("review", "add", "shop", "src/pay.ts:2", "Round it.");
    const vars = { AMUX_HOME: place.home.home, PATH: `${bin}:${process.env["PATH"]}` };
    const { stdout } = await warmCli(["review", "send", "shop", "--new", "claude", "--json"], {
      home: place.home.home,
      vars,
    });
    const sent = JSON.parse(stdout) as ReviewSent;
    expect(sent).toMatchObject({ receipt: "started", comments: [1] });
    expect(sent.session).not.toBe(id);
    const text = await waitFor("its prompt", () => {
      const words = existsSync(told) ? readFileSync(told, "utf8") : "";
      return words.includes("Round it.") ? words : undefined;
    });
    expect(text.startsWith(`${place.work}\n`)).toBe(true);
    expect(text).toContain("1. src/pay.ts, line 2:\n\n```ts\n  const cents = amount * 100;\n```");
  });

  it("on hostile text reach the agent without control characters, and cannot leave their block", async () => {
    const place = new Place();
    const id = await place.agent("shop", "120");
    place.write("a\n```\u001b[201~\u0007rm\u202e\n");
    await place.amux("review", "add", "shop", "src/pay.ts:2", "What is this?");
    await place.amux("review", "send", "shop");
    const screen = await place.home.waitForText(id, "What is this?:");
    expect(screen).toMatch(/````ts\s+```\\u001b\[201~\\u0007rm\\u202e\s+````/);
  });

  it("are not lost by two writers, nor by a damaged file, which doctor names", async () => {
    const place = new Place();
    await place.agent("shop", "120");
    await Promise.all(
      [1, 2, 3].map((line) => place.amux("review", "add", "shop", `src/pay.ts:${line}`, `On ${line}.`)),
    );
    expect((await place.comments("shop")).map(({ id }) => id)).toEqual([1, 2, 3]);
    const damaged = place.file;
    writeFileSync(damaged, '{"sessions": ["torn"');
    await place.amux("review", "add", "shop", "src/pay.ts:1", "On 1 again.");
    expect((await place.comments("shop")).map(({ text }) => text)).toEqual(["On 1 again."]);
    expect(readFileSync(damaged, "utf8")).toBe('{"sessions": ["torn"');
    expect((await place.amux("doctor", "claude")).stderr).toContain(damaged);
  });

  it("are resolved, opened again and removed, also after the session and its directory are gone", async () => {
    const place = new Place();
    const id = await place.agent("shop", "120");
    for (const line of [1, 2]) await place.amux("review", "add", "shop", `src/pay.ts:${line}`, `On ${line}.`);
    expect(states((await place.json<Review>("review", "resolve", "shop", "1")).comments)).toEqual([
      "resolved",
      "draft",
    ]);
    expect((await place.amux("review", "list")).stdout).not.toContain("On 1.");
    await place.json("review", "resolve", "shop", "1", "--reopen");
    await place.amux("dismiss", "shop");
    rmSync(place.work, { recursive: true });
    expect((await place.comments(id)).map(({ place: where, state }) => [where, state])).toEqual([
      ["gone", "draft"],
      ["gone", "draft"],
    ]);
    const refused = await place.amux("review", "send", id);
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining("not running")]);
    expect((await place.json<Review>("review", "remove", id, "1")).comments.map(({ text }) => text)).toEqual(["On 2."]);
    expect((await place.amux("review", "remove", id, "1")).code).toBe(2);
  });
});

it("a session of another machine is reviewed where it runs", async () => {
  const [hub, spoke] = [new AgentMachine(), new AgentMachine()];
  const program = join(spoke.root, "bin", "claude");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${COMPOSER}" 120\n`);
  const shop = spoke.project("shop");
  writeFileSync(join(shop, "pay.ts"), PAY);
  await Promise.all([hub.start(), spoke.start()]);
  await link(hub, "box", spoke);
  const id = await spoke.agent(shop);
  const options = { home: hub.userHome, vars: { AMUX_HOME: hub.home } };
  await waitFor("its row", async () => (await hub.ask("GET", "/v1/sessions")).text.includes(`${id}@box`));
  await waitFor("its start", async () =>
    (await spoke.ask("GET", `/v1/sessions/${id}/text`)).text.includes("shortcuts"),
  );
  await checkedJson("review add", [`${id}@box`, "pay.ts:2", "Round it."], options);
  expect(await checkedJson("review list", [`${id}@box`], options)).toMatchObject([{ comments: [{ place: "same" }] }]);
  expect(await checkedJson("review send", [`${id}@box`], options)).toEqual({
    session: `${id}@box`,
    receipt: "delivered",
    comments: [1],
  });
  await waitFor("it", async () => (await spoke.ask("GET", `/v1/sessions/${id}/text`)).text.includes("Round it."));
  expect(await spoke.data<Review[]>("GET", "/v1/reviews")).toMatchObject([{ comments: [{ state: "sent" }] }]);
});
