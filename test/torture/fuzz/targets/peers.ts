/** Events of another machine's daemon, as they reach this one's list and attention queue. */
import { SseParser } from "../../../../src/client/sse.ts";
import { remoteAttention } from "../../../../src/daemon/peers/remote-attention.ts";
import { UpsertEvent } from "../../../../src/daemon/peers/remote-session.ts";
import { SessionStore } from "../../../../src/daemon/store/store.ts";
import { parsePeerAddress } from "../../../../src/protocol/peers.ts";
import type { Target } from "../target.ts";

const ROW = {
  id: "sess-abcd1234",
  created_at: "2026-01-01T00:00:00Z",
  command: ["claude", "--resume", "x"],
  cwd: "/home/me/shop",
  kind: "claude",
  workspace_root: "/home/me/shop",
  remotes: { origin: "https://user:secret@example.com/shop.git" },
  alive: true,
  pid: 7,
  title: "Fix the shop",
  status: { label: "thinking", working: true },
  unread: false,
  resume_key: "00000000-0000-4000-8000-000000000000",
  socket_path: "/home/me/.agent-mux/sockets/sess-abcd1234.sock",
  terminal_cols: 80,
  terminal_rows: 24,
  slug: "fix-the-shop",
  stale: false,
};

const WAITING = {
  session_id: "sess-abcd1234",
  title: "Fix the shop",
  agent: "claude",
  reason: "permission",
  text: "Bash: make",
  since: "2026-01-01T00:00:00Z",
  cwd: "/home/me/shop",
};

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const peerEvents: Target = {
  name: "peer events",
  short: 2000,
  seeds: () => [
    Buffer.from(event("session-upsert", { type: "session-upsert", id: ROW.id, session: ROW })),
    Buffer.from(event("attention", [WAITING])),
    Buffer.from(event("session-upsert", { id: ROW.id, session: { ...ROW, alive: false, exit_code: 1 } })),
  ],
  tokens: ["\n\n", "event: ", "data: ", '"sess-abcd1234@box"', '"../../x"', "__proto__", "\\u001b]0;", "null", "1e999"],
  run(input) {
    const store = new SessionStore();
    for (const { event: name, data } of new SseParser(100_000).push(input.toString("utf8"))) {
      const told = valueOf(data);
      const row = name === "session-upsert" ? UpsertEvent.safeParse(told).data?.session : undefined;
      if (row !== undefined) store.upsertRemote("box", row);
      if (name === "attention") check(remoteAttention("box", told).map(({ ref, ...item }) => ({ id: ref, ...item })));
    }
    check(store.list());
    if (store.list().some(({ peer }) => peer !== "box")) throw new Error("A row of nobody.");
  },
  expects: (error) => error instanceof Error && error.message.startsWith("An event is longer than"),
};

/** Marked as that machine's, without control characters for a terminal. */
function check(told: readonly { id: string }[]): void {
  for (const { id } of told) if (!/^sess-[a-z0-9]{8}@box$/.test(id)) throw new Error(`A row called ${id}.`);
  JSON.stringify(told, (_, value: unknown) => {
    if (typeof value === "string" && CONTROL.test(value)) throw new Error(`A control in ${JSON.stringify(value)}.`);
    return value;
  });
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

function valueOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // Same as nothing.
  }
}

const peerAddresses: Target = {
  name: "peer addresses",
  short: 3000,
  seeds: () =>
    ["https://box.example:8790", "ssh://me@box:22/home/me/.agent-mux/amuxd.sock", "ssh://[::1]:2222"].map((text) =>
      Buffer.from(text),
    ),
  tokens: ["ssh://", "-oProxyCommand=", "@", ":", "%", "$(id)", "`", " ", "\n"],
  run(input) {
    const address = parsePeerAddress(input.toString("utf8"));
    if (address?.kind !== "ssh") return;
    const { user = "x", host, socket = "/x" } = address;
    // Nothing that ssh or a shell could read as more than a name.
    for (const word of [user, host])
      if (/^-|[^A-Za-z0-9._:-]/.test(word)) throw new Error(`ssh would be given ${word}.`);
    if (/[^A-Za-z0-9._/@+-]/.test(socket)) throw new Error(`ssh would be given ${socket}.`);
  },
};

export const PEER_TARGETS: readonly Target[] = [peerEvents, peerAddresses];
