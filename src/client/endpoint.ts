/** An HTTP endpoint: a local socket, or an address with a token. */
import { request as requestPlain, type ClientRequest, type RequestOptions } from "node:http";
import { request as requestEncrypted } from "node:https";

export type Endpoint = { readonly socketPath: string } | RemoteEndpoint;

export interface RemoteEndpoint {
  /** `https://host:port` */
  readonly origin: string;
  readonly token: string;
  /** The only certificate (PEM) trusted there: its own, or its authority's. */
  readonly ca?: string;
}

type Headers = Readonly<Record<string, string>>;

/** Prepares a request. Certificates are always checked; connections are not reused. */
export function requestTo(
  endpoint: Endpoint,
  { method = "GET", path, headers = {} }: Pick<RequestOptions, "method" | "path"> & { headers?: Headers },
): ClientRequest {
  if ("socketPath" in endpoint) {
    const { socketPath } = endpoint;
    return requestPlain({ socketPath, method, path, agent: false, headers: { host: "localhost", ...headers } });
  }
  const { protocol, hostname, port } = new URL(endpoint.origin);
  const options = {
    // Only URLs put an IPv6 address in brackets.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    method,
    path,
    agent: false,
    headers: { authorization: `Bearer ${endpoint.token}`, ...headers },
    ...(port === "" ? {} : { port }),
  };
  if (protocol !== "https:") return requestPlain(options);
  return requestEncrypted(endpoint.ca === undefined ? options : { ...options, ca: endpoint.ca });
}
