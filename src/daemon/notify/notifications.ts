/** Notifications of this daemon: by the user's programs, and through channels. */
import { join } from "node:path";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AttentionItem } from "../../status/attention.ts";
import { defaultNoticeConfig, readNoticeConfig, type NoticeConfig } from "../../status/notice-config.ts";
import { noticeOf } from "../../status/notices.ts";
import { Notifier, type NotifierParts } from "../../status/notifier.ts";
import { ChannelFile, type SentNotice } from "./channel-file.ts";
import { Channels } from "./channels.ts";

interface NotificationsParts {
  env: PathEnv;
  home: string;
  /** Path of the channels' file. */
  file: string;
  /** Host names behind a TLS proxy. */
  hosts: readonly string[];
  onProblem: (what: string, error: unknown) => void;
}

export function notificationsFor(parts: NotificationsParts): { channels: Channels; notifier: Notifier } {
  const { env, home, file, hosts, onProblem } = parts;
  const config = configIn(home, onProblem);
  const stored = new ChannelFile(file);
  const channels = new Channels({
    env,
    file: stored,
    page: hosts[0] === undefined ? undefined : `https://${hosts[0]}`,
    privatePush: config.privatePush === true,
    onProblem,
  });
  const notifier = new Notifier({
    config,
    onProblem: (message) => onProblem("notification", new Error(message)),
    onAction: (action) => channels.act(action),
    memory: sentIn(stored, config, onProblem),
  });
  return { channels, notifier };
}

/** People have few questions open at a time; after many, the oldest notifications are not withdrawn after a restart. */
const MAX_ITEMS = 200;

/** Other machines' entries are not kept: they come later than this machine's, and would be withdrawn at once. */
function sentIn(
  file: ChannelFile,
  { notify, webhook }: NoticeConfig,
  onProblem: NotificationsParts["onProblem"],
): NonNullable<NotifierParts["memory"]> {
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      onProblem("notification channels", error);
      return undefined;
    }
  };
  return {
    read: () =>
      attempt(() => {
        const { sent = [], unsent = [] } = file.read();
        return { open: sent.map(({ id, items }) => noticeOf(id, items.map(itemOf))), unsent };
      }) ?? { open: [], unsent: [] },
    write: ({ open, unsent }) =>
      attempt(() => {
        const { sent: before, unsent: unsentBefore, ...stored } = file.read();
        if (stored.channels.length === 0 && notify === undefined && webhook === undefined) return;
        let room = MAX_ITEMS;
        const own = open.filter(({ items }) => items.every(({ ref }) => !ref.includes("@")));
        const kept = own.toReversed().filter(({ items }) => (room -= items.length) >= 0);
        const sent = kept.toReversed().map(({ id, items }) => ({ id, items: items.map(withoutText) }));
        if (sent.length + unsent.length > 0 || before !== undefined || unsentBefore !== undefined)
          file.write({
            ...stored,
            ...(sent.length > 0 ? { sent } : {}),
            ...(unsent.length > 0 ? { unsent: unsent.slice(-MAX_ITEMS) } : {}),
          });
      }),
  };
}

type KeptItem = SentNotice["items"][number];

function withoutText({ ref, name, place, agent, member, reason, since, cwd }: AttentionItem): KeptItem {
  return { ref, name, place, agent, ...optional("member", member), reason, since, cwd };
}

function itemOf({ member, ...item }: KeptItem): AttentionItem {
  return { ...item, ...optional("member", member) };
}

/** No programs run unless configured; a mistake in the file must not stop the daemon. */
function configIn(home: string, onProblem: NotificationsParts["onProblem"]): NoticeConfig {
  try {
    return readNoticeConfig(join(home, "attention.json")) ?? defaultNoticeConfig();
  } catch (error) {
    onProblem("attention.json", error);
    return defaultNoticeConfig();
  }
}
