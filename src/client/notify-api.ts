/** The daemon's API for notification channels. No Node modules here. */
import type { AddChannelRequest, AddedChannel, Channel } from "../protocol/notify.ts";
import type { DaemonTransport } from "./daemon-api.ts";

export class NotifyApi {
  readonly #transport: DaemonTransport;

  constructor(transport: DaemonTransport) {
    this.#transport = transport;
  }

  channels(): Promise<Channel[]> {
    return this.#transport.ask({ method: "GET", path: "/v1/notify" });
  }

  add(body: AddChannelRequest): Promise<AddedChannel> {
    return this.#transport.ask({ method: "POST", path: "/v1/notify", body });
  }

  test(id: string): Promise<Channel> {
    return this.#transport.ask({ method: "POST", path: `/v1/notify/${id}/test` });
  }

  remove(id: string): Promise<null> {
    return this.#transport.ask({ method: "DELETE", path: `/v1/notify/${id}` });
  }

  /** What browsers subscribe to. */
  pushKey(): Promise<{ public_key: string }> {
    return this.#transport.ask({ method: "POST", path: "/v1/push-key" });
  }

  /** Somebody looks at the attention list. */
  seen(): Promise<null> {
    return this.#transport.ask({ method: "POST", path: "/v1/attention/seen" });
  }
}
