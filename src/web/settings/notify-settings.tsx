/** Notifications: in this browser, by push, and the daemon's other channels. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Channel } from "../../protocol/notify.ts";
import { askForNotifications } from "../notify/permission.ts";
import { likelyService, removeChannel, turnOnPush, whyNoPush } from "../notify/push.ts";
import { notifyApi } from "../state/api.ts";
import { notifications, pushChannel } from "../state/preferences.ts";
import { attempt, tell } from "../ui/notices.ts";
import { fullTime } from "../ui/times.ts";
import { Group } from "./settings-group.tsx";

export function NotifySettings(): JSX.Element {
  const channels = useSignal<readonly Channel[]>([]);
  const load = async (): Promise<void> => {
    await attempt(async () => (channels.value = await notifyApi.channels()));
  };
  useEffect(() => void load(), []);
  return (
    <Group title="Notifications">
      <label>
        <input
          type="checkbox"
          checked={notifications.value}
          onClick={({ currentTarget }) => {
            // The browser toggles the checkbox before the user answers the permission prompt.
            void askForNotifications().then(() => (currentTarget.checked = notifications.value));
          }}
        />{" "}
        Notify me in this browser when a session needs me
      </label>
      {pushChannel.value === "" ? <TurnOnPush onChange={load} /> : null}
      {channels.value.length === 0 ? null : (
        <ul class="peers" aria-label="Channels">
          {channels.value.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} onChange={load} />
          ))}
        </ul>
      )}
      <p class="muted">
        <code>amux notify add</code> adds an ntfy topic or a webhook.
      </p>
    </Group>
  );
}

function TurnOnPush({ onChange }: { onChange(): Promise<void> }): JSX.Element {
  const isBusy = useSignal(false);
  const why = whyNoPush();
  const turnOn = async (): Promise<void> => {
    isBusy.value = true;
    await attempt(turnOnPush);
    await onChange();
    isBusy.value = false;
  };
  return (
    <>
      <p class="muted">
        {why ??
          `Push reaches this device when the page is closed, with Allow and Deny. The messages go through this browser's push service, ${likelyService()}. They are encrypted: names, reasons and questions, nothing else.`}
      </p>
      <button type="button" disabled={isBusy.value || why !== undefined} onClick={() => void turnOn()}>
        Push to this device
      </button>
    </>
  );
}

function ChannelRow({ channel, onChange }: { channel: Channel; onChange(): Promise<void> }): JSX.Element {
  const { id, kind, service, name, sent_at, failed_at, error } = channel;
  const isHere = id === pushChannel.value;
  const test = async (): Promise<void> => {
    const tried = await attempt(() => notifyApi.test(id));
    if (tried !== undefined && tried.error === undefined) tell(`${service} took the test message.`);
    await onChange();
  };
  const remove = async (): Promise<void> => {
    await attempt(() => removeChannel(id));
    await onChange();
  };
  return (
    <li>
      <span>
        <strong>{name ?? kind}</strong>{" "}
        <span class="muted">
          {isHere ? "this browser, " : ""}through {service}
        </span>
        <br />
        {error === undefined ? (
          <span class="muted">{sent_at === undefined ? "nothing sent yet" : `last sent ${fullTime(sent_at)}`}</span>
        ) : (
          <span class="bad">{`failed ${failed_at === undefined ? "" : fullTime(failed_at)}: ${error}`}</span>
        )}
      </span>
      <button type="button" class="small" aria-label={`Test ${name ?? id}`} onClick={() => void test()}>
        Test
      </button>
      <button type="button" class="small" aria-label={`Remove ${name ?? id}`} onClick={() => void remove()}>
        Remove
      </button>
    </li>
  );
}
