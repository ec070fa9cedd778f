/** An agent started in a shell: its conversation stays linked to the session while it runs. */
import { expect, it } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import type { SessionMeta } from "../../src/protocol/runner-api.ts";
import type { SessionDetails } from "../../src/protocol/daemon-api.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";
import { sharedMachine } from "./support/shared-daemon.ts";

/** A shell at its prompt in the user's home. */
async function shellOn(test: AgentMachine): Promise<string> {
  const command = ["bash", "--norc", "--noprofile", "-i"];
  const { session_id: id } = await test.data<{ session_id: string }>("POST", "/v1/launch", {
    command,
    cwd: test.userHome,
  });
  await waitFor("a prompt", async () => /[$#]/.test((await test.ask("GET", `/v1/sessions/${id}/text`)).text));
  return id;
}

/** Each test has its own directory and conversation. */
let keys: string[] = [];
const shared = sharedMachine((atEnd) => {
  const test = new AgentMachine({}, atEnd);
  keys = ["told", "named"].map((name, at) => test.old(at + 1, "Add a health route", test.project(name)));
  return test;
});

it("is linked to the conversation it begins in its directory, until it leaves", async () => {
  const test = shared();
  const cwd = test.project("shop");
  const [id, idle] = [await shellOn(test), await shellOn(test)];
  await test.say(id, `cd ${cwd} && claude`, "fake new");
  const key = await test.prompt(id, "make it blue");
  const { slug } = await test.until("its conversation", id, ({ resume_key }) => resume_key === key);
  expect(await test.session(id)).toMatchObject({ kind: "shell", agent: "claude", title: "make it blue", slug });
  expect(slug).toBe("bash");
  expect(await test.session(idle)).not.toHaveProperty("resume_key");
  const keyOf = async (): Promise<unknown> =>
    (
      JSON.parse(
        (await askRunner(test.shim.files(id).socket, { method: "GET", path: "/meta" })).body.toString(),
      ) as SessionMeta
    ).resume_key;
  await waitFor("the runner's word", async () => (await keyOf()) === key);
  const details = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
  expect(details).toMatchObject({ unified_id: `claude:${key}`, conversation: { how: "guessed", by: "directory" } });
  const transcript = await test.data<{ unifiedId: string }>("GET", `/v1/sessions/${id}/transcript`);
  expect(transcript.unifiedId).toBe(`claude:${key}`);
  expect((await test.sessions()).filter(({ resume_key }) => resume_key === key).length, "one row").toBe(1);
  await test.kill("SIGKILL");
  await test.start();
  await test.until("the same", id, ({ resume_key, agent }) => resume_key === key && agent === "claude");
  await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\u0004"));
  await test.until("the shell", id, (session) => session.resume_key === undefined && session.agent === undefined);
  expect(await rowWith(test, key), "a row of its own").toMatchObject({ kind: "claude", alive: false, resumable: true });
  expect(await test.session(id)).toMatchObject({ kind: "shell", alive: true });
  expect(await keyOf()).toBeUndefined();
});

it("is linked to what its hook names, and to nothing when the shell has ended", async () => {
  const test = shared();
  const key = keys[0]!;
  const id = await shellOn(test);
  await test.say(id, "claude", "fake new");
  const { socket } = test.shim.files(id);
  const body = JSON.stringify({ agent: "claude", state: "idle", source: "hook", session: key });
  await askRunner(socket, { method: "POST", path: "/hook", body, headers: { "content-type": "application/json" } });
  await test.until("its conversation", id, ({ resume_key, agent }) => resume_key === key && agent === "claude");
  expect(await test.conversation(id)).toMatchObject({ how: "told", by: "hook" });
  await test.ask("POST", `/v1/sessions/${id}/kill`);
  expect(await rowWith(test, key)).toMatchObject({ kind: "claude", resumable: true });
  const shell = await test.session(id);
  expect(shell).toMatchObject({ kind: "shell", alive: false, command: ["bash", "--norc", "--noprofile", "-i"] });
  expect(shell).not.toHaveProperty("resume_key");
});

it("is linked to what its command line resumes", async () => {
  const test = shared();
  const key = keys[1]!;
  const id = await shellOn(test);
  await test.say(id, `claude --resume ${key}`, `fake resumed ${key}`);
  await test.until("its conversation", id, ({ resume_key, title }) => resume_key === key && title.startsWith("Add a"));
  expect((await test.conversation(id))?.by).toBe("command");
});
