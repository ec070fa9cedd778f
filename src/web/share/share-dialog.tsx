/** Makes, copies, lists and revokes links to one redacted session. */
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CreatedShareLink, ShareLink } from "../../protocol/share-links.ts";
import { api, Refusal } from "../state/api.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { plural } from "../ui/figures.ts";
import { attempt, messageOf } from "../ui/notices.ts";
import { fullTime } from "../ui/times.ts";
import type { SharedSession } from "./share.ts";
import "../style/share.css";

const TIMES: readonly [seconds: number, label: string][] = [
  [3600, "an hour"],
  [86_400, "a day"],
  [7 * 86_400, "7 days"],
  [30 * 86_400, "30 days"],
];
const DEFAULT_S = 7 * 86_400;

export function ShareDialog({ session, onClose }: { session: SharedSession; onClose(): void }): JSX.Element {
  const { unifiedId, title } = session;
  const links = useSignal<ShareLink[] | null>(null);
  const made = useSignal<CreatedShareLink | null>(null);
  const load = async (): Promise<void> => {
    links.value = (await api.shareLinks()).filter((link) => link.session === unifiedId);
  };
  useEffect(() => void attempt(load), [unifiedId]);
  const revoke = async (id: string): Promise<void> => {
    await api.revokeShareLink(id);
    if (made.value?.id === id) made.value = null;
    await load();
  };
  return (
    <Dialog label={`Share ${title}`} class="share" onClose={onClose}>
      <header class="dialog-head">
        <h2>Share “{title}”</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <p class="muted">
        Whoever has the link can read this session as it is now, without its secrets, and nothing else. No list of
        patterns knows every secret: read it before you send it.
      </p>
      <CreateForm
        unifiedId={unifiedId}
        onMade={(link) => {
          made.value = link;
          void attempt(load);
        }}
      />
      {made.value === null ? null : <MadeLink link={made.value} />}
      <Links links={links} onRevoke={(id) => void attempt(() => revoke(id))} />
    </Dialog>
  );
}

function CreateForm({ unifiedId, onMade }: { unifiedId: string; onMade(link: CreatedShareLink): void }): JSX.Element {
  const seconds = useSignal(DEFAULT_S);
  const isBusy = useSignal(false);
  const problem = useSignal("");
  /** Refused because of a possible secret: the user may decide. */
  const isDoubtful = useSignal(false);
  const create = async (takeUnsure: boolean): Promise<void> => {
    isBusy.value = true;
    problem.value = "";
    isDoubtful.value = false;
    try {
      onMade(await api.createShareLink({ session: unifiedId, expires_s: seconds.value, take_unsure: takeUnsure }));
    } catch (error) {
      const message = messageOf(error);
      isDoubtful.value = error instanceof Refusal && message.includes("--take-unsure");
      problem.value = message.replace(/; --take-unsure .*$/, ".");
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create(false);
      }}
    >
      <p class="share-form">
        <label>
          Works for{" "}
          <select
            class="picker"
            value={seconds.value}
            onChange={(event) => (seconds.value = Number(event.currentTarget.value))}
          >
            {TIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={isBusy.value}>
          {isBusy.value ? "Looking for secrets …" : "Create link"}
        </button>
      </p>
      {problem.value === "" ? null : (
        <p class="bad" role="alert">
          {problem.value}{" "}
          {isDoubtful.value ? (
            <button type="button" class="small" onClick={() => void create(true)}>
              Take it out too
            </button>
          ) : null}
        </p>
      )}
    </form>
  );
}

function MadeLink({ link }: { link: CreatedShareLink }): JSX.Element {
  const address = location.origin + link.path;
  return (
    <div class="share-made" role="status">
      <p>{plural(link.redacted, "value")} taken out. Copy the link now: it is not shown again.</p>
      <p class="share-form">
        <input
          class="field"
          readOnly
          aria-label="Link"
          value={address}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton label="Copy the link" text={() => address} />
        <a class="button small" href={link.path} target="_blank" rel="noreferrer">
          Open
        </a>
      </p>
    </div>
  );
}

function Links({ links, onRevoke }: { links: Signal<ShareLink[] | null>; onRevoke(id: string): void }): JSX.Element {
  const all = links.value;
  if (all === null || all.length === 0) return <p class="muted">{all === null ? "Loading …" : "No link works now."}</p>;
  return (
    <ul class="share-links">
      {all.map(({ id, expires_at, redacted }) => (
        <li key={id}>
          <code>{id}</code> until {fullTime(expires_at)} · {plural(redacted, "value")} taken out
          <button type="button" class="small" onClick={() => onRevoke(id)}>
            Revoke
          </button>
        </li>
      ))}
    </ul>
  );
}
