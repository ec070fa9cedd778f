/**
 * Access rules of every route; a route without a rule fails. The first route of each rule and method is tried with every
 * combination of credential, origin, site and host, the others with one of them wrong at a time: one gate decides for all.
 */
import { afterAll, describe, expect, it } from "vitest";
import { TOKEN_COOKIE } from "./gate.ts";
import { HOST, ID, TestApp, TOKEN } from "./testing/test-app.ts";

/** `token`: with a credential. `local`: Unix socket only. `login`: without a credential, from our own page. */
type Rule = "token" | "local" | "login";

const RULES: Readonly<Record<string, Rule>> = {
  "GET /v1/health": "token",
  "GET /v1/capabilities": "token",
  "GET /v1/openapi.json": "token",
  "GET /v1/events": "token",
  "GET /v1/projects": "token",
  "PUT /v1/projects": "token",
  "GET /v1/attention": "token",
  "POST /v1/shutdown": "local",
  "POST /v1/login-codes": "local",
  "POST /auth/login": "login",
  "POST /auth/logout": "token",
  "GET /v1/sessions": "token",
  "GET /v1/sessions/{id}": "token",
  "GET /v1/sessions/{id}/details": "token",
  "GET /v1/sessions/{id}/account": "token",
  "GET /v1/sessions/{id}/text": "token",
  "GET /v1/sessions/{id}/scrollback": "token",
  "GET /v1/sessions/{id}/transcript": "token",
  "GET /v1/sessions/{id}/cast": "token",
  "GET /v1/sessions/{id}/changes": "token",
  "POST /v1/sessions/{id}/changes/look": "token",
  "GET /v1/history/{unifiedId}/changes": "token",
  "POST /v1/history/{unifiedId}/changes/look": "token",
  "POST /v1/register": "token",
  "POST /v1/deregister": "token",
  "POST /v1/launch": "token",
  "GET /v1/directories": "token",
  "POST /v1/history/{unifiedId}/resume": "token",
  "POST /v1/history/{unifiedId}/fork": "token",
  "POST /v1/history/{unifiedId}/restore": "token",
  "POST /v1/history/{unifiedId}/tags": "token",
  "POST /v1/sessions/{id}/resume": "token",
  "POST /v1/sessions/{id}/restart": "token",
  "POST /v1/sessions/{id}/kill": "token",
  "POST /v1/sessions/{id}/dismiss": "token",
  "POST /v1/sessions/{id}/restore": "token",
  "POST /v1/sessions/{id}/read": "token",
  "POST /v1/sessions/{id}/input": "token",
  "POST /v1/sessions/{id}/clipboard": "token",
  "POST /v1/sessions/{id}/terminals": "token",
  "DELETE /v1/sessions/{id}/terminals": "token",
  "POST /v1/sessions/{id}/answer": "token",
  "POST /v1/sessions/{id}/message": "token",
  "GET /v1/sessions/{id}/queue": "token",
  "POST /v1/sessions/{id}/queue": "token",
  "PUT /v1/sessions/{id}/queue": "token",
  "DELETE /v1/sessions/{id}/queue": "token",
  "GET /v1/queues": "token",
  "POST /v1/queues": "token",
  "PUT /v1/queues": "token",
  "DELETE /v1/queues": "token",
  "POST /v1/sessions/{id}/snooze": "token",
  "POST /v1/sessions/{id}/wait": "token",
  "PUT /v1/sessions/{id}/status": "token",
  "PUT /v1/sessions/{id}/slug": "token",
  "PUT /v1/sessions/{id}/title": "token",
  "GET /v1/history": "token",
  "GET /v1/history/search": "token",
  "GET /v1/history/diff": "token",
  "GET /v1/history/{unifiedId}": "token",
  "GET /v1/cost": "token",
  "GET /v1/cost.csv": "token",
  "GET /v1/history/facets": "token",
  "GET /v1/history/progress": "token",
  "GET /v1/overview": "token",
  "GET /v1/models": "token",
  "GET /v1/limits": "token",
  "GET /v1/reviews": "token",
  "GET /v1/sessions/{id}/review": "token",
  "POST /v1/sessions/{id}/review": "token",
  "POST /v1/sessions/{id}/review/send": "token",
  "GET /v1/history/{unifiedId}/review": "token",
  "POST /v1/history/{unifiedId}/review": "token",
  "POST /v1/history/{unifiedId}/review/send": "token",
  "GET /v1/fleet/history": "token",
  "GET /v1/fleet/search": "token",
  "GET /v1/fleet/cost": "token",
  "GET /v1/peers": "token",
  "POST /v1/peers": "token",
  "POST /v1/peers/{peer}/retry": "token",
  "DELETE /v1/peers/{peer}": "token",
  "GET /v1/hooks": "token",
  "POST /v1/hooks/{agent}": "token",
  "DELETE /v1/hooks/{agent}": "token",
  "GET /v1/doctor": "token",
  "POST /v1/attention/seen": "token",
  "GET /v1/notify": "token",
  "POST /v1/notify": "token",
  "POST /v1/push-key": "token",
  "POST /v1/notify/{channel}/test": "token",
  "DELETE /v1/notify/{channel}": "token",
  "GET /v1/share-links": "token",
  "POST /v1/share-links": "token",
  "DELETE /v1/share-links/{link}": "token",
};

const CREDENTIALS = ["none", "wrong bearer", "bearer", "wrong cookie", "token as cookie", "cookie"] as const;
const EVIL = "http://evil.example";
const ORIGINS = [undefined, `http://${HOST}`, "http://localhost:3000", EVIL, "null"];
const SITES = [undefined, "same-origin", "same-site", "cross-site", "none"];
const WRONG_HOSTS = ["evil.example", "evil.example:8790", "127.0.0.1:8791"];

const test = new TestApp(afterAll);

interface Combination {
  credential: (typeof CREDENTIALS)[number];
  origin: string | undefined;
  site: string | undefined;
  host: string;
}

function* combinations(): Generator<Combination> {
  for (const credential of CREDENTIALS) {
    for (const origin of ORIGINS) for (const site of SITES) yield { credential, origin, site, host: HOST };
    // A wrong host defeats any credential.
    for (const host of WRONG_HOSTS) yield { credential, origin: `http://${HOST}`, site: "same-origin", host };
  }
}

function isOneWrong({ credential, origin, site, host }: Combination): boolean {
  const isOurOrigin = origin === `http://${HOST}`;
  if (isOurOrigin && site === "same-origin")
    return host === HOST || (host === WRONG_HOSTS[0] && (credential === "bearer" || credential === "cookie"));
  return credential === "cookie" && (isOurOrigin ? site === "cross-site" : site === "same-origin" && origin === EVIL);
}

const FIRST_OF_KIND = new Set(
  new Map(
    Object.entries(RULES)
      .reverse()
      .map(([name, rule]) => [`${rule} ${name.split(" ")[0]}`, name]),
  ).values(),
);

function headersOf({ credential, origin, site, host }: Combination): Record<string, string> {
  const wrong = "f".repeat(64);
  const proofs: Record<Combination["credential"], Record<string, string>> = {
    none: {},
    "wrong bearer": { authorization: `Bearer ${wrong}` },
    bearer: { authorization: `Bearer ${TOKEN}` },
    "wrong cookie": { cookie: `${TOKEN_COOKIE}=${wrong}` },
    "token as cookie": { cookie: `${TOKEN_COOKIE}=${TOKEN}` },
    cookie: { cookie: `${TOKEN_COOKIE}=${test.gate.cookie}` },
  };
  return {
    host,
    // Forwarded-host headers change nothing.
    "x-forwarded-host": HOST,
    ...proofs[credential],
    ...(origin === undefined ? {} : { origin }),
    ...(site === undefined ? {} : { "sec-fetch-site": site }),
  };
}

/** Whether the origin headers allow it: our page may do everything, no page may read, other pages nothing. */
function isOwnPage({ origin, site }: Combination, looksOnly: boolean): boolean {
  if (origin !== undefined && origin !== `http://${HOST}`) return false;
  if (site === "same-origin") return true;
  if (site === undefined) return origin !== undefined || looksOnly;
  return site === "none" && looksOnly;
}

/** The expected result; `in` if the request reaches the route. */
function verdictFor(rule: Rule, method: string, combination: Combination): string {
  const { credential, host } = combination;
  if (host !== HOST) return "bad_host";
  const isOurs = isOwnPage(combination, method === "GET");
  const known = rule === "local" ? "local_only" : "in";
  if (credential === "bearer") return known;
  if (credential === "wrong bearer") return "unauthorized";
  if (rule === "login") return isOurs ? "in" : "cross_origin";
  if (credential !== "cookie") return "unauthorized";
  return isOurs ? known : "cross_origin";
}

const CODES = new Set(["bad_host", "unauthorized", "cross_origin", "local_only"]);

/** The gate's refusal, or `in` for an answer only the route gives. */
async function outcome(method: string, path: string, combination: Combination): Promise<string> {
  // Without a body the route refuses it for that reason, or answers.
  const { body } = await test.ask(method, path, { headers: headersOf(combination) }, "tcp");
  const code = body.error?.code ?? "";
  // The login route refuses a missing token with the same code and another message.
  if (path === "/auth/login" && body.error?.message.includes("expired or was already used") === true) return "in";
  return CODES.has(code) ? code : "in";
}

function pathOf(pattern: string): string {
  return pattern
    .replace("{id}", ID)
    .replace("{peer}", "box")
    .replace("{unifiedId}", "claude:x")
    .replace("{agent}", "claude")
    .replace("{channel}", "ntfy-0123abcd")
    .replace("{link}", "0123abcd");
}

describe("every route", () => {
  it("has a rule, and every rule has a route", () => {
    const served = test.app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect(Object.keys(RULES).sort()).toEqual([...new Set(served)].sort());
  });

  it.each(Object.entries(RULES))("%s over TCP: %s", async (name, rule) => {
    const [method = "", pattern = ""] = name.split(" ");
    const path = pathOf(pattern);
    const wrong: object[] = [];
    for (const combination of combinations()) {
      if (!FIRST_OF_KIND.has(name) && !isOneWrong(combination)) continue;
      const [expected, given] = [verdictFor(rule, method, combination), await outcome(method, path, combination)];
      if (given !== expected) wrong.push({ ...combination, expected, given });
    }
    expect(wrong).toEqual([]);
  });

  it("answers on the Unix socket whatever the headers say", async () => {
    for (const name of Object.keys(RULES)) {
      const [method = "", pattern = ""] = name.split(" ");
      const path = pathOf(pattern);
      const headers = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "cross-site" };
      const { body } = await test.ask(method, path, { headers }, "unix");
      expect(["bad_host", "cross_origin", "local_only"], name).not.toContain(body.error?.code);
    }
  });

  it("accepts no other method: reading changes nothing", async () => {
    test.done.length = 0;
    for (const name of Object.keys(RULES)) {
      const [method = "", pattern = ""] = name.split(" ");
      const path = pathOf(pattern);
      for (const other of ["GET", "POST", "PUT", "DELETE", "PATCH"]) {
        if (other === method || RULES[`${other} ${pattern}`] !== undefined) continue;
        const { status } = await test.ask(other, path);
        // Some ids look like /v1/history/{unifiedId}/resume; all paths outside the API are the page.
        expect([404, 405], `${other} ${path}`).toContain(status);
      }
    }
    expect(test.done).toEqual([]);
  });
});
