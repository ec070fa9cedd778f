/**
 * Sends one message to a service. The address is checked when the connection is made, so that a name cannot be pointed elsewhere
 * in between. No redirect is followed, and the answer's beginning is all that is read.
 */
import { lookup as lookUp, type LookupAddress } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPrivate, isPublic } from "../process/private-address.ts";

/** Where the service may be: on the internet, in a private network, or in both. */
export type Reach = "public" | "private" | "any";

export interface OutgoingRequest {
  url: string;
  method: "POST" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  reach: Reach;
}

export interface ServiceAnswer {
  status: number;
  /** What the service asks for, in milliseconds. */
  retryAfterMs?: number;
}

const WITHIN_MS = 15_000;

export function sendRequest({ url, method, headers, body, reach }: OutgoingRequest): Promise<ServiceAnswer> {
  return new Promise((resolve, reject) => {
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !mayReach(host, reach)) return reject(outOfReach(host, reach));
    const send = protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send(url, {
      method,
      headers: { "user-agent": "amux", ...headers },
      agent: false,
      lookup: lookupWithin(reach),
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    outgoing.once("response", (response) => {
      const seconds = Number(response.headers["retry-after"]);
      response.destroy();
      resolve({
        status: response.statusCode ?? 0,
        ...(seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
      });
    });
    outgoing.once("error", (error) => {
      reject(error.name === "AbortError" ? new Error(`It did not answer within ${WITHIN_MS / 1000} s.`) : error);
    });
    outgoing.end(body);
  });
}

export function mayReach(address: string, reach: Reach): boolean {
  return reach === "any" || (reach === "public" ? isPublic(address) : isPrivate(address));
}

export function outOfReach(host: string, reach: Reach): Error {
  return new Error(
    reach === "public"
      ? `${host} is not an address of the internet.`
      : `${host} is not an address of a private network; use https.`,
  );
}

/** As Node's own, without addresses out of reach. */
function lookupWithin(reach: Reach): LookupFunction {
  return (host, options, done) => {
    lookUp(host, { ...options, all: true }, (error, found) => {
      const all = (error === null ? found : []) as LookupAddress[];
      const allowed = all.filter(({ address }) => mayReach(address, reach));
      const [first] = allowed;
      if (error !== null) done(error, "", 0);
      else if (first === undefined) done(outOfReach(host, reach), "", 0);
      else if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
