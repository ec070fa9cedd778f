/**
 * Every operation of the OpenAPI document, the streams and the terminals, as another program, page or machine would call them.
 */
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { figure } from "./long-form.ts";

type Headers = Record<string, string>;

const WRONG = "f".repeat(64);
const EVIL = "http://evil.example";
const UPGRADE: Headers = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

test("without a token, or from another page, no route can be reached", async () => {
  const machine = await new TestDaemon().start();
  const id = await machine.launch("exec cat");
  const host = `127.0.0.1:${machine.port}`;
  const token = `Bearer ${machine.token}`;
  const cookie = `amux-token=${createHmac("sha256", machine.token).update("cookie").digest("hex")}`;
  const intruders: Record<string, [status: number, headers: Headers]> = {
    "without a token": [401, {}],
    "with a wrong token": [401, { authorization: `Bearer ${WRONG}` }],
    "with half a token": [401, { authorization: token.slice(0, -32) }],
    "with the token as a cookie": [401, { cookie: `amux-token=${machine.token}`, origin: `http://${host}` }],
    "with a wrong cookie, from our page": [401, { cookie: `amux-token=${WRONG}`, origin: `http://${host}` }],
    "another page with the cookie": [403, { cookie, origin: EVIL, "sec-fetch-site": "cross-site" }],
    "a page of another port": [403, { cookie, origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }],
    "a page without an origin": [403, { cookie, origin: "null" }],
    "a name made to point here": [403, { authorization: token, host: "evil.example" }],
    "a proxy's word for the host": [403, { authorization: token, host: "evil.example", "x-forwarded-host": host }],
  };
  const { paths } = JSON.parse((await machine.ask("GET", "/v1/openapi.json")).text) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const doors: [method: string, path: string, headers: Headers][] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string, Headers] => [method.toUpperCase(), filled(path, id), {}]),
  );
  expect(doors.map(([, path]) => path)).toContain("/v1/events");
  doors.push(["GET", `/ws/${id}`, UPGRADE], ["GET", "/v1/events", UPGRADE], ["GET", `/ws/${id}`, {}]);
  for (const [method, path, more] of doors) {
    for (const [who, [status, headers]] of Object.entries(intruders)) {
      // Login works without a token; a wrong token, origin or host is refused.
      if (path === "/auth/login" && status === 401 && headers["authorization"] === undefined) continue;
      expect(await knock(machine.port, method, path, { ...more, ...headers }), `${who}: ${method} ${path}`).toBe(
        status,
      );
    }
  }
  // Nothing was changed or ended.
  expect(machine.child!.exitCode).toBeNull();
  expect(await machine.session(id)).toMatchObject({ alive: true });
  expect(await knock(machine.port, "GET", "/v1/sessions", { authorization: token })).toBe(200);
  expect(await knock(machine.port, "GET", `/ws/${id}`, { ...UPGRADE, authorization: token })).toBe(101);
  figure("intruders", { doors: doors.length, kinds: Object.keys(intruders).length });
});

function filled(path: string, id: string): string {
  return path.replace("{id}", id).replace(/\{\w+\}/g, "claude:x");
}

/** The status of the answer, without its body, since streams do not end. */
function knock(port: number, method: string, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      resolve(101);
    });
    outgoing.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}
