import { describe, expect, it } from "vitest";
import { Gate, TOKEN_COOKIE, type GateRequest, type Verdict } from "./gate.ts";

const TOKEN = "a".repeat(64);
const HOST = "127.0.0.1:8790";
const OWN = `http://${HOST}`;
const gate = new Gate(TOKEN, [HOST, "localhost:8790"]);

function knock(given: {
  transport?: GateRequest["transport"];
  method?: string;
  path?: string;
  isUpgrade?: boolean;
  headers?: Record<string, string | undefined>;
}): string {
  const { transport = "tcp", method = "GET", path = "/v1/sessions", isUpgrade = false } = given;
  const headers: Record<string, string | undefined> = { host: HOST, ...given.headers };
  const verdict: Verdict = gate.judge({ transport, method, path, isUpgrade, header: (name) => headers[name] });
  return verdict.admitted ? "admitted" : verdict.code;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const ORIGINS = [undefined, OWN, `https://${HOST}`, "http://localhost:3000", "http://evil.example", "null"];
const SITES = [undefined, "same-origin", "same-site", "cross-site", "none"];
const CREDENTIALS: Record<string, Record<string, string>> = {
  none: {},
  "wrong bearer": { authorization: `Bearer ${"b".repeat(64)}` },
  "right bearer": { authorization: `Bearer ${TOKEN}` },
  "wrong cookie": { cookie: `${TOKEN_COOKIE}=${"b".repeat(64)}` },
  "token as cookie": { cookie: `${TOKEN_COOKIE}=${TOKEN}` },
  "right cookie": { cookie: `other=1; ${TOKEN_COOKIE}=${gate.cookie}` },
  "wrong bearer, right cookie": { authorization: "Bearer x", cookie: `${TOKEN_COOKIE}=${gate.cookie}` },
};

/** What a cookie allows, by the browser's origin headers: may read, may write. */
const WITH_COOKIE: [origin: string | undefined, site: string | undefined, looks: boolean, does: boolean][] = [
  [undefined, undefined, true, false],
  [undefined, "same-origin", true, true],
  [undefined, "same-site", false, false],
  [undefined, "cross-site", false, false],
  [undefined, "none", true, false],
  [OWN, undefined, true, true],
  [OWN, "same-origin", true, true],
  [OWN, "same-site", false, false],
  [OWN, "cross-site", false, false],
  [OWN, "none", true, false],
];

describe("access over TCP", () => {
  for (const method of METHODS) {
    for (const origin of ORIGINS) {
      for (const site of SITES) {
        const headers = { origin, "sec-fetch-site": site };
        const isSafe = method === "GET" || method === "HEAD";
        it(`${method}, Origin ${origin}, Sec-Fetch-Site ${site}`, () => {
          for (const [name, credential] of Object.entries(CREDENTIALS)) {
            const answer = knock({ method, headers: { ...headers, ...credential } });
            if (name === "right bearer") expect(answer, name).toBe("admitted");
            else if (name !== "right cookie") expect(answer, name).toBe("unauthorized");
          }
          const row = WITH_COOKIE.find(([o, s]) => o === (origin === `https://${HOST}` ? OWN : origin) && s === site);
          const expected = row !== undefined && (isSafe ? row[2] : row[3]);
          const cookie = { ...headers, ...CREDENTIALS["right cookie"] };
          expect(knock({ method, headers: cookie })).toBe(expected ? "admitted" : "cross_origin");
          const upgrade = knock({ method, path: "/ws/sess-abcd1234", isUpgrade: true, headers: cookie });
          expect(upgrade, "a terminal is doing, not looking").toBe(row?.[3] === true ? "admitted" : "cross_origin");
        });
      }
    }
  }

  it.each(["evil.example", "evil.example:8790", "127.0.0.1", "127.0.0.1:8791", "", "127.0.0.1:8790.evil.example"])(
    "is refused for the host %j whatever else is right",
    (host) => {
      for (const path of ["/v1/sessions", "/", "/auth/login"]) {
        const headers = { host, "x-forwarded-host": HOST, authorization: `Bearer ${TOKEN}` };
        expect(knock({ path, headers })).toBe("bad_host");
      }
    },
  );

  it("works under its other names, in any case", () => {
    expect(knock({ headers: { host: "LocalHost:8790", authorization: `Bearer ${TOKEN}` } })).toBe("admitted");
  });

  it("is open to everyone for the page, and for nothing else", () => {
    expect(["/", "/index.html", "/project/claude/fix"].map((path) => knock({ path }))).toEqual(
      Array.from({ length: 3 }, () => "admitted"),
    );
    expect(["/v1/health", "/v1/openapi.json", "/v1", "/ws/sess-abcd1234"].map((path) => knock({ path }))).toEqual(
      Array.from({ length: 4 }, () => "unauthorized"),
    );
    expect(knock({ path: "/anything", method: "POST" })).toBe("unauthorized");
  });

  it("allows only its own page to log in", () => {
    const login = (origin?: string, site?: string): string =>
      knock({ method: "POST", path: "/auth/login", headers: { origin, "sec-fetch-site": site } });
    expect(login(OWN, "same-origin")).toBe("admitted");
    expect(login(OWN)).toBe("admitted");
    expect([login(), login("http://evil.example"), login("null"), login(OWN, "cross-site")]).toEqual(
      Array.from({ length: 4 }, () => "cross_origin"),
    );
  });
});

describe("access on the Unix socket", () => {
  it("is left to the file system", () => {
    for (const method of METHODS) {
      expect(knock({ transport: "unix", method, headers: { host: "anything", origin: "http://x" } })).toBe("admitted");
    }
  });
});

describe("a host that was configured without a port", () => {
  const named = new Gate(TOKEN, [HOST, "lab.example"]);
  const judge = (host: string): boolean =>
    named.judge({
      transport: "tcp",
      method: "GET",
      path: "/v1/sessions",
      isUpgrade: false,
      header: (name) => ({ host, authorization: `Bearer ${TOKEN}` })[name],
    }).admitted;

  it("is accepted at every port, and no other is", () => {
    expect(["lab.example", "lab.example:8443", "LAB.example:8443"].map(judge)).toEqual([true, true, true]);
    const others = ["evil.example:8443", "lab.example.evil:1", "127.0.0.1:9", "127.0.0.1", ""];
    expect(others.map(judge)).toEqual([false, false, false, false, false]);
  });
});
