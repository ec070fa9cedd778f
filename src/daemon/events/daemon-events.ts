/** The events of `/v1/events`: sessions, their activity, projects, attention. */
import { optional } from "../../lib/values/optional.ts";
import { wellFormedJson } from "../../lib/text/text.ts";
import type { ConversationUpdate } from "../../protocol/daemon-api.ts";
import type { SessionStore } from "../store/store.ts";
import { BroadcastTimer } from "./broadcast-timer.ts";
import { ChangeLog } from "./change-log.ts";
import { EventStream, RenderedChanges, type Consumer, type EventSource, type ServerEvent } from "./event-stream.ts";

/** An older blip is not sent. */
const ACTIVITY_IS_NEWS_MS = 3000;

/** State beside the sessions, sent whole and newest only. */
type Topic = "projects-update" | "attention" | "peer-status";

const OWN = "own/";

export class DaemonEvents implements EventSource {
  readonly #log = new ChangeLog();
  readonly #told = { log: this.#log, beat: new BroadcastTimer(this.#log) };
  readonly #changes = new RenderedChanges(this.#log, this);
  readonly #own: EventSource = {
    names: () => this.#ownNames(),
    render: (entry) => this.#renderOwn(entry),
  };
  readonly #ownChanges = new RenderedChanges(this.#log, this.#own);
  readonly #store: SessionStore;
  readonly #topics = new Map<Topic, () => unknown>();
  readonly #ownTopics = new Map<string, () => unknown>();

  constructor(store: SessionStore) {
    this.#store = store;
    store.onChange(({ id }) => this.#log.append(`session/${id}`));
  }

  /** Adds a topic to what every consumer gets. */
  addTopic(topic: Topic, current: () => unknown): void {
    this.#topics.set(topic, current);
  }

  topicChanged(topic: Topic): void {
    this.#log.append(topic);
  }

  /** The local part of a topic, for other machines; it has its own changes, so that two machines do not echo each other. */
  addOwnTopic(topic: Topic, current: () => unknown): void {
    this.#ownTopics.set(`${OWN}${topic}`, current);
  }

  ownTopicChanged(topic: Topic): void {
    this.#log.append(`${OWN}${topic}`);
  }

  /** A conversation has grown, on this machine or another. */
  conversationChanged(unifiedId: string, peer?: string): void {
    this.#log.append(`conversation${peer === undefined ? "" : `@${peer}`}/${unifiedId}`);
  }

  activity(id: string): void {
    this.#log.append(`activity/${id}`);
  }

  /** Sends everything after the last event the consumer has, until it leaves. */
  open(consumer: Consumer, lastEventId: string | undefined): void {
    new EventStream(this.#told, { source: this, changes: this.#changes }, consumer, lastEventId).begin();
  }

  /** For another machine: local events only, so that two machines do not echo each other. */
  openOwn(consumer: Consumer, lastEventId: string | undefined): void {
    new EventStream(this.#told, { source: this.#own, changes: this.#ownChanges }, consumer, lastEventId).begin();
  }

  *names(): Generator<string> {
    for (const { id } of this.#store.list()) yield `session/${id}`;
    yield* this.#topics.keys();
  }

  *#ownNames(): Generator<string> {
    for (const name of this.names()) if (isOwn(name)) yield name;
    yield* this.#ownTopics.keys();
  }

  #renderOwn(entry: { name: string; at?: number }): ServerEvent | undefined {
    const topic = this.#ownTopics.get(entry.name);
    if (topic !== undefined)
      return { event: entry.name.slice(OWN.length), data: wellFormedJson(JSON.stringify(topic())) };
    return isOwn(entry.name) ? this.render(entry) : undefined;
  }

  render({ name, at }: { name: string; at?: number }): ServerEvent | undefined {
    const topic = this.#topics.get(name as Topic);
    if (topic !== undefined) return { event: name, data: wellFormedJson(JSON.stringify(topic())) };
    if (name.startsWith(OWN)) return undefined;
    const slash = name.indexOf("/");
    const id = name.slice(slash + 1);
    if (name.startsWith("session/")) return this.#session(id);
    const [topicName, peer] = name.slice(0, slash).split("@", 2);
    if (topicName === "conversation") {
      const data: ConversationUpdate = { type: "conversation-update", unified_id: id, ...optional("peer", peer) };
      return { event: data.type, data: wellFormedJson(JSON.stringify(data)) };
    }
    if (performance.now() - (at ?? Number.NEGATIVE_INFINITY) > ACTIVITY_IS_NEWS_MS) return undefined;
    return { event: "session-activity", data: JSON.stringify({ type: "session-activity", id }) };
  }

  #session(id: string): ServerEvent {
    const json = this.#store.json(id);
    if (json === undefined) {
      return { event: "session-remove", data: JSON.stringify({ type: "session-remove", id }) };
    }
    const head = JSON.stringify({ type: "session-upsert", id });
    // The session was encoded when it changed; it is not encoded for every consumer.
    return { event: "session-upsert", data: `${head.slice(0, -1)},"session":${json}}` };
  }
}

/** Sessions, their activity and conversations; projects and peers belong to this machine's user. */
function isOwn(name: string): boolean {
  if (name.startsWith("session/") || name.startsWith("activity/")) return !name.includes("@");
  return name.startsWith("conversation/");
}
