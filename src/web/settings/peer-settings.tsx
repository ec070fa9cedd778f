/** Lists peers with their state, and adds new ones. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { PeerStatus } from "../../protocol/peers.ts";
import { api } from "../state/api.ts";
import { peers } from "../state/projection.ts";
import { isConfirmed } from "../ui/confirm-dialog.tsx";
import { plural } from "../ui/figures.ts";
import { attempt, messageOf } from "../ui/notices.ts";
import { Group } from "./settings-group.tsx";
import { Problem } from "../ui/problem.tsx";

export function PeerSettings(): JSX.Element {
  return (
    <Group title="Other machines">
      {peers.value.length === 0 ? (
        <p class="muted">None yet. Sessions of a machine that runs amux appear here as if they were on this one.</p>
      ) : (
        <ul class="peers">
          {peers.value.map((peer) => (
            <Peer key={peer.name} peer={peer} />
          ))}
        </ul>
      )}
      <AddPeer />
    </Group>
  );
}

function Peer({ peer: { name, url, state, error, sessions } }: { peer: PeerStatus }): JSX.Element {
  const remove = async (): Promise<void> => {
    if (await isConfirmed(`Remove ${name}?`, "Remove", "Its sessions keep running there.")) {
      await attempt(() => api.removePeer(name));
    }
  };
  return (
    <li>
      <span>
        <strong>{name}</strong> <span class="muted">{url}</span>
        <br />
        <span class={state === "unreachable" ? "bad" : "muted"}>
          {state === "connected" ? `connected, ${plural(sessions.alive, "session")} running` : (error ?? state)}
        </span>
      </span>
      {state === "connected" ? null : (
        <button type="button" class="small" onClick={() => void attempt(() => api.retryPeer(name))}>
          Try now
        </button>
      )}
      <button type="button" class="small" onClick={() => void remove()}>
        Remove
      </button>
    </li>
  );
}

function AddPeer(): JSX.Element {
  const name = useSignal("");
  const url = useSignal("");
  const problem = useSignal("");
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.addPeer({ name: name.value.trim(), url: url.value.trim() });
      [name.value, url.value, problem.value] = ["", "", ""];
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <form class="add-peer" onSubmit={(event) => void add(event)}>
      <input
        class="field"
        placeholder="Name"
        aria-label="Name of the machine"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <input
        class="field"
        placeholder="ssh://user@host"
        aria-label="Address of the machine"
        value={url.value}
        onInput={(event) => (url.value = event.currentTarget.value)}
      />
      <button type="submit" disabled={name.value.trim() === "" || url.value.trim() === ""}>
        Add
      </button>
      <Problem text={problem.value} />
    </form>
  );
}
