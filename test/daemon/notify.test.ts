/** Notifications through channels: a real daemon, and stand-ins for the services. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import type { AddedChannel, Channel } from "../../src/protocol/notify.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { pushService, signedBy, type PushService } from "./support/push-service.ts";
import { sharedMachine } from "./support/shared-daemon.ts";
import { TestDaemon } from "./support/test-daemon.ts";

interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

async function service(): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      heard.push({ method, path: url, headers, body });
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** One daemon for a group of tests: each starts without channels and sessions. */
function notifying(settings: object): () => Promise<{ test: TestDaemon; push: PushService }> {
  const cleanups: (() => void)[] = [];
  let push: PushService;
  beforeAll(async () => {
    push = await pushService((clean) => cleanups.push(clean));
  });
  const machine = sharedMachine((atEnd) => {
    const test = new TestDaemon({ NODE_EXTRA_CA_CERTS: push.certificate }, atEnd);
    mkdirSync(test.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(test.home, "attention.json"), JSON.stringify(settings));
    return test;
  });
  afterAll(() => cleanups.forEach((clean) => clean()));
  return async () => {
    const test = machine();
    for (const { id } of await test.data<Channel[]>("GET", "/v1/notify")) await test.data("DELETE", `/v1/notify/${id}`);
    for (const { id } of await test.sessions()) await test.data("POST", `/v1/sessions/${id}/dismiss`);
    push.pushed.length = 0;
    push.status = 201;
    return { test, push };
  };
}

async function ask(test: TestDaemon, id: string, report: object): Promise<void> {
  const { status } = await askRunner(test.shim.files(id).socket, {
    method: "POST",
    path: "/hook",
    body: JSON.stringify(report),
  });
  expect(status).toBeLessThan(300);
}

async function isListed(test: TestDaemon, id: string): Promise<boolean> {
  return (await test.data<{ session_id: string }[]>("GET", "/v1/attention")).some(
    ({ session_id }) => session_id === id,
  );
}

const PERMISSION = { state: "permission", ask: "a", message: "Bash: make deploy", session: "s" };

describe("without a grace time", () => {
  const ready = notifying({ graceSeconds: 0, privatePush: true });

  it("a webhook and ntfy hear of a question and of its end, and get no more than the question", async () => {
    const { test } = await ready();
    const [hook, topic] = [await service(), await service()];
    const options = { home: test.userHome, vars: test.vars };
    const added = await warmJson<AddedChannel>(["notify", "add", "webhook", `${hook.url}/amux`], options);
    const said = await warmCli(["notify", "add", "ntfy", `${topic.url}/a-topic`, "--no-text"], options);
    expect(said.stdout).toMatch(/^ntfy-[0-9a-f]{8}: 127\.0\.0\.1:\d+ gets names and reasons\./);
    const id = await test.launch("exec cat", { name: "shop" });
    await ask(test, id, PERMISSION);
    await waitFor("both", () => hook.heard.length === 1 && topic.heard.length === 1);
    const { headers, body } = hook.heard[0]!;
    const told = JSON.parse(body) as { id: string; items: object[] };
    expect(told).toMatchObject({
      event: "send",
      body: "Bash: make deploy",
      items: [{ ref: id, reason: "permission" }],
    });
    expect(body).not.toContain(test.userHome);
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const secret = Buffer.from(added.secret!.replace("whsec_", ""), "base64");
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
    expect(JSON.parse(topic.heard[0]!.body)).toMatchObject({ topic: "a-topic", sequence_id: told.id, priority: 4 });
    expect(topic.heard[0]!.body).not.toContain("deploy");
    await ask(test, id, { ...PERMISSION, state: "working" });
    await waitFor("the withdrawals", () => hook.heard.length === 2 && topic.heard.length === 2);
    expect(JSON.parse(hook.heard[1]!.body)).toMatchObject({ event: "withdraw", id: told.id });
    expect(topic.heard[1]).toMatchObject({ method: "DELETE", path: `/a-topic/${told.id}` });
    const token = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"}`;
    await ask(test, id, { ...PERMISSION, ask: "b", message: `Bash: curl -H "Authorization: Bearer ${token}" box` });
    await waitFor("the next question", () => hook.heard.length === 3 && topic.heard.length === 3);
    expect(JSON.parse(hook.heard[2]!.body)).toMatchObject({ body: expect.stringContaining("[redacted ") as string });
    expect(hook.heard[2]!.body).not.toContain(token);
    await ask(test, id, { ...PERMISSION, ask: "b", state: "working" });
    await waitFor("its end", () => hook.heard.length === 4 && topic.heard.length === 4);
    // What an agent said at its end stays here.
    await ask(test, id, { state: "done", message: "The password is hunter2", session: "s" });
    await waitFor("the end", () => hook.heard.length === 5);
    expect(hook.heard[4]!.body).not.toContain("hunter2");
    expect(statSync(test.files.notify).mode & 0o777).toBe(0o600);
    const listed = await warmCli(["notify", "list"], options);
    expect(listed.stdout).toMatch(/webhook-\w+ .* sent .* ago/);
    expect(listed.stdout + listed.stderr).not.toContain(added.secret);
    expect((await warmCli(["notify", "remove", added.id], options)).code).toBe(0);
    expect((await warmCli(["notify", "list"], options)).stdout).not.toContain(added.id);
  });

  it("a failing service is shown, and plain http is for private networks", async () => {
    const { test } = await ready();
    const options = { home: test.userHome, vars: test.vars };
    await warmCli(["notify", "add", "webhook", "http://127.0.0.1:1/x"], options);
    const tried = await warmCli(["notify", "test"], options);
    expect([tried.code, tried.stdout]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
    expect((await warmCli(["notify", "list"], options)).stdout).toMatch(/failed .* ago: connect ECONNREFUSED/);
    const doctor = await warmCli(["doctor", "claude"], options);
    expect(doctor.stderr).toMatch(/Notifications through webhook-\w+ \(127\.0\.0\.1:1\) failed/);
    const open = await warmCli(["notify", "add", "webhook", "http://93.184.216.34/x"], options);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("not an address of a private network")]);
    for (const url of ["ftp://127.0.0.1/x", "https://user:word@ntfy.example/x", "nonsense"])
      expect((await warmCli(["notify", "add", "webhook", url], options)).code).toBe(2);
    const query = await test.ask("POST", "/v1/notify", { kind: "ntfy", url: "https://ntfy.example/t?auth=t" });
    expect(query.error).toMatchObject({ code: "bad_request", message: expect.stringContaining("my-topic") as string });
  });

  it("a push is encrypted for the browser and signed, and is withdrawn", async () => {
    const { test, push } = await ready();
    const { public_key: key } = await test.data<{ public_key: string }>("POST", "/v1/push-key");
    const id = await test.launch("exec cat", { name: "shop" });
    const channel = await test.data<Channel>("POST", "/v1/notify", {
      kind: "push",
      ...push.subscription,
      name: "Phone",
    });
    expect(channel).toMatchObject({ kind: "push", name: "Phone", service: new URL(push.subscription.endpoint).host });
    await ask(test, id, PERMISSION);
    await waitFor("the push", () => push.pushed.length === 1);
    const [{ headers, body, message }] = push.pushed as [PushService["pushed"][number]];
    expect(message).toMatchObject({
      event: "send",
      title: "shop needs your permission",
      body: "Bash: make deploy",
      path: `/s/${id}`,
      question: { session: id, asked: expect.any(String) as unknown },
    });
    expect(body.includes("deploy")).toBe(false);
    expect(headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high", topic: message.tag });
    const { origin } = new URL(push.subscription.endpoint);
    expect(signedBy(key, headers.authorization!)).toMatchObject({ aud: origin });
    await ask(test, id, { ...PERMISSION, state: "working" });
    await waitFor("the withdrawal", () => push.pushed.length === 2);
    expect(push.pushed[1]!.message).toMatchObject({ event: "withdraw", tag: message.tag });
    // Both have the same size: their length says nothing.
    expect(push.pushed[1]!.body.length).toBe(body.length);
    const stored = readFileSync(test.files.notify, "utf8");
    expect(stored).toContain(`"d"`);
    const answers = (await test.ask("GET", "/v1/notify")).text;
    expect(answers).not.toContain(push.subscription.keys.auth);
    expect(answers).not.toContain("/send/a-browser");
  });

  it("a browser that the push service forgot is removed", async () => {
    const { test, push } = await ready();
    push.status = 410;
    const { id } = await test.data<Channel>("POST", "/v1/notify", { kind: "push", ...push.subscription });
    // The test says so: nothing arrived.
    expect(await test.data("POST", `/v1/notify/${id}/test`)).toMatchObject({ error: "The service answered 410." });
    expect(await test.data("GET", "/v1/notify")).toEqual([]);
  });

  it("nothing is sent about a session while somebody types in its terminal", async () => {
    const { test } = await ready();
    const hook = await service();
    await test.data("POST", "/v1/notify", { kind: "webhook", url: hook.url });
    const [first, second] = [
      await test.launch("echo ready; exec cat", { name: "one" }),
      await test.launch("exec cat", { name: "two" }),
    ];
    const terminal = new CliTerminal(["attach", first], test.home);
    await terminal.sees("ready");
    terminal.type("hello\r");
    await terminal.sees("hello");
    await ask(test, first, PERMISSION);
    await waitFor("the first", async () => (await test.data<unknown[]>("GET", "/v1/attention")).length === 1);
    await ask(test, second, PERMISSION);
    await waitFor("the second", () => hook.heard.length > 0);
    expect(hook.heard.map(({ body }) => (JSON.parse(body) as { title: string }).title)).toEqual([
      "two needs your permission",
    ]);
  });

  it("a file that others can read is refused", async () => {
    const { test } = await ready();
    writeFileSync(test.files.notify, '{"version":1,"channels":[]}');
    chmodSync(test.files.notify, 0o644);
    const { error } = await test.ask("GET", "/v1/notify");
    expect(error).toMatchObject({
      code: "not_possible",
      message: expect.stringContaining("read by others") as unknown,
    });
  });
});

describe("with a grace time", () => {
  // Long enough to end the daemon, or to look at the list, before it is over.
  const ready = notifying({ graceSeconds: 10, privatePush: true });

  it("a notification sent before a restart is withdrawn after it, and none is sent again", async () => {
    const { test } = await ready();
    const hook = await service();
    await test.data("POST", "/v1/notify", { kind: "webhook", url: hook.url });
    const [first, second] = [
      await test.launch("exec cat", { name: "one" }),
      await test.launch("exec cat", { name: "two" }),
    ];
    await ask(test, first, PERMISSION);
    await waitFor("the notification", () => hook.heard.length === 1);
    // The daemon knows of this one, which is within its grace time.
    await ask(test, second, { ...PERMISSION, message: "Bash: rm the-secret-file" });
    await waitFor("the second", () => isListed(test, second));
    await test.kill("SIGKILL");
    expect(readFileSync(test.files.notify, "utf8")).not.toContain("deploy");
    await test.start();
    await waitFor("the other one", () => hook.heard.length === 2);
    await ask(test, first, { ...PERMISSION, state: "working" });
    await waitFor("the withdrawal", () => hook.heard.length === 3);
    const told = hook.heard.map(({ body }) => JSON.parse(body) as { event: string; id: string; title: string });
    expect(told.map(({ event, title }) => [event, title])).toEqual([
      ["send", "one needs your permission"],
      ["send", "two needs your permission"],
      ["withdraw", "one needs your permission"],
    ]);
    expect(told[2]!.id).toBe(told[0]!.id);
  });

  it("nothing is sent while somebody looks, and what was sent is withdrawn when they do", async () => {
    const { test, push } = await ready();
    await test.data("POST", "/v1/notify", { kind: "push", ...push.subscription });
    const [first, second] = [
      await test.launch("exec cat", { name: "one" }),
      await test.launch("exec cat", { name: "two" }),
    ];
    await ask(test, first, PERMISSION);
    await waitFor("the first", () => isListed(test, first));
    await test.data("POST", "/v1/attention/seen");
    await ask(test, second, PERMISSION);
    await waitFor("the push", () => push.pushed.length > 0);
    expect(push.pushed.map(({ message }) => message.title)).toEqual(["two needs your permission"]);
    await test.data("POST", "/v1/attention/seen");
    await waitFor("the withdrawal", () => push.pushed.length > 1);
    expect(push.pushed[1]!.message).toMatchObject({ event: "withdraw", tag: push.pushed[0]!.message.tag });
  });
});

describe("without permission for private networks", () => {
  const ready = notifying({ graceSeconds: 0 });

  it("a subscription cannot make the daemon call addresses of private networks", async () => {
    const { test, push } = await ready();
    const add = async (endpoint: string, keys: object = push.subscription.keys): Promise<string | undefined> =>
      (await test.ask("POST", "/v1/notify", { kind: "push", endpoint, keys })).error?.code;
    for (const host of [
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "2130706433",
    ])
      expect([host, await add(`https://${host}/x`)]).toEqual([host, "bad_request"]);
    for (const url of ["http://push.example/x", "file:///etc/passwd", "https://a:b@push.example/", "x", ""])
      expect([url, await add(url)]).toEqual([url, "bad_request"]);
    const p256dh = Buffer.alloc(65, 7).toString("base64url");
    expect(await add("https://push.example/x", { ...push.subscription.keys, p256dh })).toBe("bad_request");
    // A name that leads there is found out when the connection is made.
    const { id } = await test.data<Channel>("POST", "/v1/notify", { kind: "push", ...push.subscription });
    const { error } = await test.data<Channel>("POST", `/v1/notify/${id}/test`);
    expect([error, push.pushed]).toEqual(["localhost is not an address of the internet.", []]);
  });
});
