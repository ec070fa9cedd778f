/** The daemon's API over fetch. The session cookie authenticates. */
import { DaemonApi, type DaemonRequest, type DaemonTransport } from "../../client/daemon-api.ts";
import { NotifyApi } from "../../client/notify-api.ts";
import type { DaemonErrorCode, Envelope } from "../../protocol/daemon-api.ts";

/** The daemon refused; the message is its own. */
export class Refusal extends Error {
  readonly code: DaemonErrorCode;

  constructor(code: DaemonErrorCode, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}

export const transport: DaemonTransport = {
  async ask<Data>({ method, path, body, signal }: DaemonRequest): Promise<Data> {
    const isJson = body !== undefined && !(body instanceof Blob);
    const response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(isJson ? { headers: { "content-type": "application/json" } } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const answer = (await response.json()) as Envelope<Data>;
    if (!answer.ok) throw new Refusal(answer.error.code, answer.error.message);
    return answer.data;
  },
};

export const api = new DaemonApi(transport);
export const notifyApi = new NotifyApi(transport);
