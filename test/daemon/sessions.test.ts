import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MuxSession } from "../../src/protocol/mux-session.ts";
import { lockHolder } from "../../src/lib/process/process-lock.ts";
import type { SessionDetails } from "../../src/protocol/daemon-api.ts";
import type { SessionMeta } from "../../src/protocol/runner-api.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";

const shared = sharedDaemon();

interface Started {
  session_id: string;
  pid: number;
}

function processesWith(text: string): string[] {
  return execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text) && !line.includes("ps -eo"));
}

describe("a session's life", () => {
  it("from launch to exit is reported as it happens", async () => {
    const test = shared();
    const id = await test.launch("printf '\\033]0;my title\\007'; read x; exit 3", { name: undefined });
    const born = await test.until("the title", id, ({ title }) => title === "my title");
    expect(MuxSession.parse(born)).toEqual(born);
    expect(born).toMatchObject({
      alive: true,
      kind: "shell",
      cwd: test.userHome,
      slug: "sh",
      stale: false,
      unread: false,
    });
    expect(born.socket_path).toBe(join(test.home, "sockets", `${id}.sock`));
    await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\n"));
    const dead = await test.until("the exit", id, ({ alive }) => !alive);
    expect(dead).toMatchObject({
      exit_code: 3,
      resumable: true,
      status: { label: "exited (3)", working: false },
      command: ["sh", "-c", "printf '\\033]0;my title\\007'; read x; exit 3".replaceAll("\u001b", "")],
    });
    expect(dead).not.toHaveProperty("socket_path");
    expect((await test.ask("GET", `/v1/sessions/${id}/scrollback`)).status).toBe(200);
  });

  it("can be renamed and removed after its end, here and from the command line, even while its process lingers", async () => {
    const test = shared();
    const id = await test.launch("exit 0", { name: undefined });
    await test.until("the exit", id, ({ alive }) => !alive);
    expect((await test.ask("PUT", `/v1/sessions/${id}/title`, { title: "first" })).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ title: "first" });
    await waitFor("its process to go", () => !existsSync(test.shim.files(id).lock));
    const meta = (): unknown => JSON.parse(readFileSync(test.shim.files(id).meta, "utf8"));
    expect(meta()).toMatchObject({ title: "first", name: "first" });
    const vars = { AMUX_HOME: test.home };
    expect(await warmCli(["rename", "first", "second"], { home: test.userHome, vars })).toMatchObject({ code: 0 });
    expect(await test.session(id)).toMatchObject({ title: "second" });
    expect(meta()).toMatchObject({ title: "second", name: "second" });
    expect((await test.ask("PUT", `/v1/sessions/${id}/title`, { title: "" })).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ title: "sh -c exit 0" });
    expect(meta()).not.toHaveProperty("name");
    rmSync(test.shim.files(id).directory, { recursive: true });
    await waitFor("its removal", async () => (await test.session(id)) === undefined);
  });

  it("that was started without the daemon is found within seconds", async () => {
    const test = shared();
    const id = await test.shim.spawn({ command: ["sh", "-c", "sleep 100"], cwd: test.userHome });
    await test.until("the session", id, ({ alive }) => alive);
    const early = await test.shim.spawn({ command: ["sh", "-c", "sleep 100"], cwd: test.userHome });
    const { socket } = test.shim.files(early);
    expect((await test.ask("POST", "/v1/register", { session_id: early, socket_path: socket })).status).toBe(200);
    expect(await test.session(early)).toMatchObject({ alive: true });
  });

  it("cannot be claimed from elsewhere", async () => {
    const test = shared();
    const register = (body: object) => test.ask("POST", "/v1/register", body);
    for (const session_id of ["../../x", "sess-../../x", "sess-abcd1234/../x"]) {
      expect((await register({ session_id })).status, session_id).toBe(400);
    }
    expect((await register({ session_id: "sess-abcd1234", socket_path: "/tmp/evil.sock" })).status).toBe(400);
    expect((await register({ session_id: "sess-abcd1234" })).error?.code).toBe("runner_unreachable");
  });

  it("ends when it is killed, even if it ignores signals", async () => {
    const test = shared();
    const id = await test.launch("trap '' HUP TERM INT; echo ready; while :; do sleep 1; done");
    await waitFor("its start", async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("ready"));
    expect((await test.ask("POST", `/v1/sessions/${id}/kill`)).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ alive: false, resumable: true });
    expect((await test.ask("POST", `/v1/sessions/${id}/kill`)).status, "killing the dead is no error").toBe(200);
    expect((await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("x"))).error?.code).toBe("not_running");
  });

  it("is unread when it has ended, also if its title changes just before and it has been viewed", async () => {
    const test = shared();
    const id = await test.launch("read x; printf '\\033]0;bye\\007'; exit 3", { name: undefined });
    const viewers = async (): Promise<number | undefined> =>
      (await test.data<{ meta: SessionMeta }>("GET", `/v1/sessions/${id}/account`)).meta.viewers;
    const connection = await test.shim.connect(id);
    connection.send({ _tag: "attach", ptyId: "pty-1" });
    await waitFor("the viewer", async () => (await viewers()) === 1);
    connection.close();
    await waitFor("it to leave", async () => (await viewers()) === 0);
    // After a viewer, its process waits for nobody when the program ends.
    await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\n"));
    const dead = await test.until("the exit", id, ({ alive }) => !alive);
    expect(dead).toMatchObject({ title: "bye", unread: true });
  });

  it("whose runner is killed is shown as ended, with its last output kept", async () => {
    const test = shared();
    const id = await test.launch("echo last words; sleep 1000");
    await waitFor("its words", async () =>
      (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("last words"),
    );
    const { runner_pid } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    // The screen is saved shortly after it stops changing.
    await waitFor("the record", () => existsSync(join(test.shim.files(id).directory, "pty-1.ansi")));
    const killedAt = Date.now();
    process.kill(runner_pid!, "SIGKILL");
    const dead = await test.until("its death", id, ({ alive }) => !alive);
    expect(Date.parse(dead.exited_at!), "not when it last wrote").toBeGreaterThanOrEqual(killedAt);
    expect(dead).toMatchObject({ resumable: true, status: { label: "lost", working: false } });
    expect((await test.ask("GET", `/v1/sessions/${id}/scrollback`)).text).toContain("last words");
    await waitFor("the socket's removal", async () => {
      await test.kill("SIGKILL");
      await test.start();
      return !existsSync(test.shim.files(id).socket);
    });
    expect(await test.session(id)).toMatchObject({
      alive: false,
      status: { label: "lost", working: false },
      exited_at: dead.exited_at,
    });
  });
});

describe("a launch", () => {
  it("accepts an argument as long as the system does, and no longer", async () => {
    const test = shared();
    const words = (...rest: string[]): object => ({ command: ["sh", "-c", "echo ${#1}; exec cat", "sh", ...rest] });
    const longest = "é".repeat((128 * 1024 - 2) / 2);
    const { session_id } = await test.data<Started>("POST", "/v1/launch", words(longest));
    await waitFor("its length", async () =>
      (await test.ask("GET", `/v1/sessions/${session_id}/text`)).text.includes("131070"),
    );
    for (const [request, why] of [
      [words(`${longest}é`), "is longer than 131071 bytes"],
      [words(longest, longest), "is longer than 196608 bytes in all"],
    ] as const) {
      const { status, text } = await test.ask("POST", "/v1/launch", request);
      expect([status, text]).toEqual([400, expect.stringContaining(why)]);
    }
  });

  it("whose process is stopped is ended all the same", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    const { runner_pid } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    process.kill(runner_pid!, "SIGSTOP");
    expect((await test.ask("POST", `/v1/sessions/${id}/kill`)).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ alive: false, exit_code: 129, killed: true });
  });
});

describe("resuming", () => {
  it("revives a session under its own id, once however often it is requested", async () => {
    const test = shared();
    const mark = `mark-${process.pid}-${Date.now()}`;
    const id = await test.launch(`: ${mark}; [ -e flag ] && exec sleep 1000; touch flag`);
    await test.until("the end", id, ({ alive }) => !alive);
    const before = (await test.session(id))!;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => test.data<Started>("POST", `/v1/sessions/${id}/resume`)),
    );
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
    const back = (await test.session(id))!;
    expect(back).toMatchObject({ alive: true, created_at: before.created_at, slug: before.slug });
    expect((await test.sessions()).filter((session) => session.id === id).length).toBe(1);
    expect(await test.data<Started>("POST", `/v1/sessions/${id}/resume`), "alive already").toEqual(answers[0]);
    expect(processesWith("sleep 1000").length).toBeGreaterThan(0);
  });

  it("in a missing directory is a clear error, and changes nothing", async () => {
    const test = shared();
    const cwd = join(test.userHome, "project");
    mkdirSync(cwd);
    const id = await test.launch("exit 0", { cwd });
    const dead = await test.until("the end", id, ({ alive }) => !alive);
    rmSync(cwd, { recursive: true });
    expect(await test.ask("POST", `/v1/sessions/${id}/resume`)).toMatchObject({
      status: 409,
      error: { code: "cwd_gone", message: `The directory ${cwd} does not exist.` },
    });
    expect(await test.session(id)).toEqual(dead);
  });

  it("with a restart in a missing directory does not end the running program", async () => {
    const test = shared();
    const cwd = join(test.userHome, "project");
    mkdirSync(cwd);
    const id = await test.launch("sleep 1000", { cwd });
    const before = await test.session(id);
    rmSync(cwd, { recursive: true });
    expect((await test.ask("POST", `/v1/sessions/${id}/restart`)).error?.code).toBe("cwd_gone");
    expect(await test.session(id)).toEqual(before);
  });

  it("and killing at once ends it", async () => {
    const test = shared();
    const id = await test.launch("[ -e begun ] && exec sleep 1000; touch begun");
    await test.until("the end", id, ({ alive }) => !alive);
    const { lock } = test.shim.files(id);
    // The first runner may still have it.
    const first = lockHolder(lock);
    const resumed = test.ask("POST", `/v1/sessions/${id}/resume`);
    // Requested while it starts: a second program would be one too many.
    await waitFor("its new process", () => ![undefined, first].includes(lockHolder(lock)));
    const killed = test.ask("POST", `/v1/sessions/${id}/kill`);
    expect([(await resumed).status, (await killed).status]).toEqual([200, 200]);
    expect((await test.session(id))?.alive).toBe(false);
  });

  it("of a missing or unstartable session is an error", async () => {
    const test = shared();
    const before = await test.sessions();
    expect((await test.ask("POST", "/v1/sessions/sess-00000000/resume")).error?.code).toBe("not_found");
    const missing = await test.ask("POST", "/v1/launch", { command: ["no-such-program-at-all"] });
    expect(missing).toMatchObject({ status: 500, error: { code: "launch_failed" } });
    expect((await test.ask("POST", "/v1/launch", { agent: "nobody" })).error?.code).toBe("not_found");
    expect((await test.sessions()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

describe("dismissing", () => {
  it("ends a session for good", async () => {
    const test = shared();
    const id = await test.launch("sleep 1000");
    expect((await test.ask("POST", `/v1/sessions/${id}/dismiss`)).status).toBe(200);
    expect(await test.session(id)).toBeUndefined();
    expect(existsSync(test.shim.files(id).directory)).toBe(false);
    const next = await test.shim.spawn({ command: ["cat"], cwd: test.userHome });
    await test.until("a look at the sockets", next, ({ alive }) => alive);
    expect(await test.session(id), "after a look at the sockets").toBeUndefined();
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.session(next)).toMatchObject({ alive: true });
    expect(await test.session(id), "after a restart").toBeUndefined();
  });

  it("can be undone for a minute, also after the daemon was killed", async () => {
    const test = shared();
    const id = await test.launch("echo kept; exit 3", { name: "was removed" });
    await test.until("the end", id, ({ alive }) => !alive);
    await test.ask("POST", `/v1/sessions/${id}/dismiss`);
    expect(await test.session(id)).toBeUndefined();
    expect((await test.ask("POST", `/v1/sessions/${id}/restore`)).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ title: "was removed", exit_code: 3 });
    expect((await test.ask("GET", `/v1/sessions/${id}/scrollback`)).text).toContain("kept");
    expect((await test.ask("POST", `/v1/sessions/${id}/restore`)).error?.code, "a second time").toBe("not_found");
    await test.ask("POST", `/v1/sessions/${id}/dismiss`);
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.session(id), "it stays dismissed").toBeUndefined();
    expect((await test.ask("POST", `/v1/sessions/${id}/restore`)).status).toBe(200);
    expect(await test.session(id)).toMatchObject({ title: "was removed", exit_code: 3 });
  });
});

describe("scripts", () => {
  it("can set status, slug and title, read, and wait", async () => {
    const test = shared();
    const id = await test.launch("cat");
    const at = `/v1/sessions/${id}`;
    expect((await test.ask("POST", `${at}/wait`)).error?.code, "a program that tells nothing").toBe("no_idle_signal");
    await test.ask("PUT", `${at}/status`, { label: "thinking", working: true });
    await test.ask("PUT", `${at}/slug`, { slug: "my-slug" });
    await test.ask("PUT", `${at}/title`, { title: "my\u001b title" });
    const named = await test.until("the names", id, ({ slug, title }) => slug === "my-slug" && title === "my title");
    expect(named.status).toEqual({ label: "thinking", working: true });
    expect((await test.ask("PUT", `${at}/slug`, { slug: "../x" })).status).toBe(400);
    const waiting = test.data("POST", `${at}/wait?for=idle&timeout=30`);
    // Answered after the wait has begun.
    await test.data("GET", "/v1/health");
    await test.ask("PUT", `${at}/status`, null);
    expect(await waiting).toEqual({ reason: "idle" });
    expect((await test.ask("POST", `${at}/wait?for=exit&timeout=1`)).error?.code).toBe("timeout");
    const dying = test.data("POST", `${at}/wait?for=exit&timeout=30`);
    await test.ask("POST", `${at}/input`, Buffer.from("\u0004"));
    expect(await dying).toEqual({ reason: "died", exit_code: 0 });
    const unread = await test.until("news", id, ({ unread }) => unread);
    expect(unread.alive).toBe(false);
    const { unread_token } = await test.data<SessionDetails>("GET", `${at}/details`);
    expect((await test.ask("POST", `${at}/read?token=${unread_token! + 1}`)).error?.code).toBe("result_changed");
    await test.ask("POST", `${at}/read?token=${unread_token}`);
    expect((await test.session(id))?.unread).toBe(false);
    await test.kill("SIGKILL");
    await test.start();
    expect((await test.session(id))?.unread, "read stays read").toBe(false);
  });

  it("can wait for the end of a session whose process no longer reports", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    const { runner_pid } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    const waited = test.ask("POST", `/v1/sessions/${id}/wait?for=exit&timeout=60`);
    process.kill(runner_pid!, "SIGKILL");
    const { status, text } = await waited;
    expect([status, JSON.parse(text)]).toEqual([200, { ok: true, data: { reason: "died" } }]);
  });

  it("can type bytes that are not text", async () => {
    const test = shared();
    const data = Buffer.from([...Array.from({ length: 256 }, (_, at) => at), 0xc3, 0xf0, 0x9f, 0xff, 0xfe, 0x00]);
    const id = await test.launch(`stty raw -echo; echo ready; head -c ${data.length} | md5sum; exec cat`);
    const sees = (wanted: string): Promise<boolean> =>
      waitFor(wanted, async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes(wanted));
    await sees("ready");
    expect((await test.ask("POST", `/v1/sessions/${id}/input`, data)).status).toBe(200);
    await sees(createHash("md5").update(data).digest("hex"));
  });

  it("can type into one process and no other", async () => {
    const test = shared();
    const id = await test.launch("cat");
    const { incarnation } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    const first = (await test.session(id))!;
    const { pid } = await test.data<Started>("POST", `/v1/sessions/${id}/restart`);
    expect(pid, "after a restart").not.toBe(first.pid);
    expect(await test.session(id)).toMatchObject({ alive: true, pid, created_at: first.created_at });
    expect(() => process.kill(first.pid!, 0)).toThrow("ESRCH");
    const answer = await fetch(`http://127.0.0.1:${test.port}/v1/sessions/${id}/input`, {
      method: "POST",
      body: "late",
      headers: { authorization: `Bearer ${test.token}`, "x-amux-incarnation": incarnation! },
    });
    expect(await answer.json()).toMatchObject({ error: { code: "incarnation_mismatch" } });
    const json = await test.ask("POST", `/v1/sessions/${id}/input`, { text: "late" });
    expect(json.error, "JSON would be typed with its brackets").toMatchObject({ code: "bad_request" });
    await test.data("POST", `/v1/sessions/${id}/message`, { text: "yes" });
    await waitFor("the message", async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("yes"));
    expect((await test.ask("GET", `/v1/sessions/${id}/text`)).text).not.toContain("late");
  });

  it("can see who waits for an answer", async () => {
    const test = shared();
    const hook = `curl -s --unix-socket "$AMUX_SOCKET" http://localhost/hook -d '{"state":"permission","message":"run rm?","source":"hook"}'`;
    const id = await test.launch(`${hook}; sleep 1000`);
    const waiting = async (): Promise<object | undefined> =>
      (await test.data<{ session_id: string }[]>("GET", "/v1/attention")).find(({ session_id }) => session_id === id);
    const item = await waitFor("somebody to wait", waiting);
    expect(item).toMatchObject({ reason: "permission", text: "run rm?", source: "hook" });
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    await waitFor("nobody to wait", async () => (await waiting()) === undefined);
  });
});

describe("foreign text", () => {
  it("is shown as text and nothing else", async () => {
    const test = shared();
    const id = await test.launch(
      'printf \'\\033]0;<img src=x onerror=alert(1)>\\033[2J\\007\'; printf \'\\033]7777;{"label":"\\\\u001b[31m<b>","working":true}\\033\\\\\'; sleep 1000',
    );
    const { title, status } = await test.until("the status", id, ({ status }) => status !== null);
    expect(title).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(title).toContain("<img src=x onerror=alert(1)>");
    expect(status?.label).not.toMatch(/[\u0000-\u001f]/);
  });

  it("never includes the credentials of a remote", async () => {
    const test = shared();
    const repository = join(test.userHome, "repo");
    const worktree = join(test.userHome, "tree");
    const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "pipe" });
    mkdirSync(repository);
    git("init", "-q");
    git("remote", "add", "origin", "https://me:s3cret@example.org/a/b.git");
    writeFileSync(join(repository, "f"), "");
    git("add", "f");
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x");
    git("worktree", "add", "-q", worktree);
    const id = await test.launch("sleep 1000", { cwd: worktree });
    expect(await test.session(id)).toMatchObject({
      cwd: worktree,
      workspace_root: repository,
      remotes: { origin: "https://example.org/a/b.git" },
    });
    for (const path of ["/v1/sessions", `/v1/sessions/${id}/details`, "/v1/projects"]) {
      expect((await test.ask("GET", path)).text, path).not.toContain("s3cret");
    }
  });
});
