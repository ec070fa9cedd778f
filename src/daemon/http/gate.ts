/**
 * Access control. The file system guards the Unix socket. Over TCP every API request needs the token, even locally: any web page
 * can reach a loopback port. A cookie counts only from our own page, and Host must be one of our names, against DNS rebinding.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { DaemonErrorCode } from "../../protocol/daemon-api.ts";

export const TOKEN_COOKIE = "amux-token";

export type Transport = "unix" | "tcp";

/** What is known of a request before it is handled. */
export interface GateRequest {
  transport: Transport;
  method: string;
  path: string;
  isUpgrade: boolean;
  header(name: string): string | undefined;
}

export type Verdict = { admitted: true } | { admitted: false; code: DaemonErrorCode; message: string };

const BAD_HOST = "The Host header is not a host name of this daemon. Add it with amux daemon restart --host <name>.";

const ADMITTED: Verdict = { admitted: true };

export class Gate {
  readonly #token: string;
  readonly #hosts: ReadonlySet<string>;

  /** `hosts` as in a Host header; one without a port matches every port. */
  constructor(token: string, hosts: Iterable<string>) {
    this.#token = token;
    this.#hosts = new Set(hosts);
  }

  /** Not the token itself: browsers send cookies to every port of a host, so another server may see it. */
  get cookie(): string {
    return createHmac("sha256", this.#token).update("cookie").digest("hex");
  }

  judge(knock: GateRequest): Verdict {
    if (knock.transport === "unix") return ADMITTED;
    const host = knock.header("host")?.toLowerCase() ?? "";
    if (!this.#isOurs(host)) return refused("bad_host", BAD_HOST);
    const isLogin = knock.path === "/auth/login" && knock.method === "POST";
    if (!isLogin && !needsToken(knock)) return ADMITTED;
    const bearer = /^Bearer (.+)$/i.exec(knock.header("authorization") ?? "")?.[1];
    if (bearer !== undefined) return this.isToken(bearer) ? ADMITTED : refused("unauthorized", "The token is wrong.");
    // A login request sets a cookie: no other page may send it.
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

/** Constant time for every wrong text. */
function isEqual(text: string, secret: string): boolean {
  return timingSafeEqual(hash(text), hash(secret));
}

/** The page's own files are public; the data is not. */
function needsToken({ path, method, isUpgrade }: GateRequest): boolean {
  return isUpgrade || path.startsWith("/v1/") || path === "/v1" || path.startsWith("/ws/") || !isSafe(method);
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** From the browser's origin headers; a request without them may only read. */
function isOwnPage({ header, method, isUpgrade }: GateRequest, host: string): boolean {
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
