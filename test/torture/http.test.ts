/**
 * Every route of the daemon's OpenAPI document and of a runner, with bodies and queries that are nearly right. The answer is
 * always a proper one, and nothing crashes.
 */
import { expect, test } from "vitest";
import { askRunner, type RunnerRequest } from "../../src/client/runner-http.ts";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { mutate } from "./fuzz/mutate.ts";
import { Random } from "./fuzz/random.ts";
import { bodyFor, type JsonSchema } from "./http/schema-values.ts";
import { figure, isLong, seed } from "./long-form.ts";
import { TEST_DEADLINE_MS } from "../support/deadline.ts";

const ROUNDS = isLong ? 100 : 3;

/** These end the daemon or session, start programs, or call other machines. */
const NOT_SENT = /shutdown|kill|dismiss|restart|resume|fork|launch|peers|\/events$|\/wait$/;

interface Operation {
  parameters?: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema?: JsonSchema }> };
}

interface Sent {
  method: RunnerRequest["method"];
  path: string;
  body?: Buffer;
}

const RUNNER_ROUTES: readonly [method: RunnerRequest["method"], path: string, body?: string][] = [
  ["GET", "/meta"],
  ["GET", "/evidence"],
  ["GET", "/text?lines=5"],
  ["GET", "/snapshot?history=5"],
  ["PUT", "/status", '{"label":"thinking","working":true}'],
  ["PUT", "/slug", '{"slug":"a-slug"}'],
  ["PUT", "/title", '{"title":"a title"}'],
  ["POST", "/read"],
  ["POST", "/hook", '{"agent":"claude","event":"Stop","payload":{}}'],
  ["POST", "/answer", '{"answer":"allow"}'],
  ["POST", "/message", '{"text":"x"}'],
  ["POST", "/input", "x\n"],
];

test(
  "any body and any query gets a valid answer, and everything stays alive",
  async () => {
    const machine = await new TestDaemon().start();
    // Raw mode: every key is only text.
    const id = await machine.launch("stty raw -echo; echo READY; exec cat");
    await waitFor("the program", async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("READY"),
    );
    const socket = machine.shim.files(id).socket;
    const random = new Random(seed);
    const { paths } = JSON.parse((await machine.ask("GET", "/v1/openapi.json")).text) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    );
    const statuses: Record<string, number> = {};
    const send = async (to: string, sent: Sent): Promise<void> => {
      const headers = { "content-type": "application/json" };
      const { status, body } = await askRunner(to, { ...sent, headers, timeoutMs: 60_000 });
      const told = `seed ${seed}: ${sent.method} ${sent.path} ${sent.body?.toString("latin1").slice(0, 300)} -> ${body.toString().slice(0, 300)}`;
      expect(status, told).toSatisfy((code: number) => (code >= 200 && code < 500) || code === 501);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const { method, path, operation } of operations) {
        if (!NOT_SENT.test(path)) await send(machine.files.socket, daemonRequest(method, path, operation, id, random));
      }
      for (const [method, path, body] of RUNNER_ROUTES) {
        const changed = body === undefined ? undefined : mutate(Buffer.from(body), random, [], [Buffer.from(body)]);
        await send(socket, { method, path: withOddQuery(path, random), ...(changed ? { body: changed } : {}) });
      }
    }
    await machine.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\nstill-here\n"));
    await waitFor("the terminal", async () =>
      (await machine.ask("GET", `/v1/sessions/${id}/text`)).text.includes("still-here"),
    );
    expect(machine.child!.exitCode).toBeNull();
    figure("http", { rounds: ROUNDS, operations: operations.length, ...statuses });
  },
  isLong ? 3_600_000 : TEST_DEADLINE_MS,
);

function daemonRequest(method: string, path: string, operation: Operation, id: string, random: Random): Sent {
  const address = path
    .replace("{id}", random.oneIn(8) ? odd(random) : id)
    .replace("{unifiedId}", random.oneIn(2) ? odd(random) : "claude:nothing")
    .replace(/\{\w+\}/g, () => odd(random));
  const query = new URLSearchParams();
  for (const { name, in: place, schema } of operation.parameters ?? []) {
    if (place === "query" && random.oneIn(2))
      query.set(name, random.oneIn(2) ? odd(random) : String(bodyFor(schema, random)));
  }
  const sent = { method: method.toUpperCase() as RunnerRequest["method"], path: `${address}?${query}` };
  const content = operation.requestBody?.content;
  if (content === undefined) return sent;
  const schema = content["application/json"]?.schema;
  const proper = Buffer.from(schema === undefined ? "bytes" : (JSON.stringify(bodyFor(schema, random)) ?? "null"));
  return { ...sent, body: random.oneIn(4) ? proper : mutate(proper, random, [], [proper]) };
}

const ODD = [
  "",
  "0",
  "-1",
  "1e9",
  "NaN",
  "../../x",
  "a%00b",
  "sess-00000000",
  "claude:../x",
  "x".repeat(3000),
  "界\u2028",
  "{}",
  "null",
];

function odd(random: Random): string {
  return encodeURIComponent(random.pick(ODD));
}

function withOddQuery(path: string, random: Random): string {
  return path.replace(/=\d+/, () => `=${odd(random)}`);
}
