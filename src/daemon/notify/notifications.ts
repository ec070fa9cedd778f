/** Notifications of this daemon: by the user's programs, and through channels. */
import { join } from "node:path";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { defaultNoticeConfig, readNoticeConfig, type NoticeConfig } from "../../status/notice-config.ts";
import { Notifier } from "../../status/notifier.ts";
import { ChannelFile } from "./channel-file.ts";
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
  const channels = new Channels({
    env,
    file: new ChannelFile(file),
    page: hosts[0] === undefined ? undefined : `https://${hosts[0]}`,
    privatePush: config.privatePush === true,
    onProblem,
  });
  const onFailure = (message: string): void => onProblem("notification", new Error(message));
  return { channels, notifier: new Notifier(config, onFailure, (action) => channels.act(action)) };
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
