/**
 * Who may come in. The Unix socket is guarded by the file system. Over TCP every request to the interface needs the token,
 * also from this machine: any page in any browser can reach a loopback port. A cookie only counts when the page that
 * sends it is ours, and the Host header must be one of our names, or a foreign name could be made to point here.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { DaemonErrorCode } from "../../protocol/daemon-api.ts";

export const TOKEN_COOKIE = "amux-token";

export type Transport = "unix" | "tcp";

/** What is known of a request before anything is done with it. */
export interface Knock {
  transport: Transport;
  method: string;
  path: string;
  isUpgrade: boolean;
  header(name: string): string | undefined;
}

export type Verdict = { admitted: true } | { admitted: false; code: DaemonErrorCode; message: string };

const BAD_HOST =
  "The Host header names no host of this daemon. If it is one, name it: amux daemon restart --host name.";

const ADMITTED: Verdict = { admitted: true };

export class Gate {
  readonly #token: string;
  readonly #hosts: ReadonlySet<string>;

  /** `hosts` as they stand in a Host header; one without a port is meant at every port. */
  constructor(token: string, hosts: Iterable<string>) {
    this.#token = token;
    this.#hosts = new Set(hosts);
  }

  /** Not the token itself: browsers send cookies to every port of a host, so another server may get to see it. */
  get cookie(): string {
    return createHmac("sha256", this.#token).update("cookie").digest("hex");
  }

  judge(knock: Knock): Verdict {
    if (knock.transport === "unix") return ADMITTED;
    const host = knock.header("host")?.toLowerCase() ?? "";
    if (!this.#isOurs(host)) return refused("bad_host", BAD_HOST);
    const isLogin = knock.path === "/auth/login" && knock.method === "POST";
    if (!isLogin && !needsToken(knock)) return ADMITTED;
    const bearer = /^Bearer (.+)$/i.exec(knock.header("authorization") ?? "")?.[1];
    if (bearer !== undefined) return this.isToken(bearer) ? ADMITTED : refused("unauthorized", "The token is wrong.");
    // Logging in is using a cookie that is not there yet: no other page may do it for the user.
    if (!isLogin) {
      const cookie = cookieIn(knock.header("cookie"));
      if (cookie === undefined) return refused("unauthorized", "The token is missing.");
      if (!isEqual(cookie, this.cookie)) return refused("unauthorized", "The token is wrong.");
    }
    return isOwnPage(knock, host) ? ADMITTED : refused("cross_origin", "The request comes from another site.");
  }

  #isOurs(host: string): boolean {
    return this.#hosts.has(host) || this.#hosts.has(host.replace(/:\d+$/, ""));
  }

  isToken(text: string): boolean {
    return isEqual(text, this.#token);
  }
}

/** Takes the same time for every wrong text. */
function isEqual(text: string, secret: string): boolean {
  return timingSafeEqual(hash(text), hash(secret));
}

/** The page's own files are no secret; what they show is. */
function needsToken({ path, method, isUpgrade }: Knock): boolean {
  return isUpgrade || path.startsWith("/v1/") || path === "/v1" || path.startsWith("/ws/") || !isSafe(method);
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** By what the browser says of the request's origin; a request that says nothing may only look. */
function isOwnPage({ header, method, isUpgrade }: Knock, host: string): boolean {
  const origin = header("origin");
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false;
  const site = header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || (site === "none" && isSafe(method) && !isUpgrade);
  return origin !== undefined || (isSafe(method) && !isUpgrade);
}

function cookieIn(header: string | undefined): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === TOKEN_COOKIE) return value;
  }
  return undefined;
}

function refused(code: DaemonErrorCode, message: string): Verdict {
  return { admitted: false, code, message };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
