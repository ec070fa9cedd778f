import { it } from "vitest";
import h from "./index.ts";
import { ReadNotes } from "../read-notes.ts";
import { tallyOf } from "../in-memory.ts";
import { withDatabase } from "../../lib/sqlite.ts";
import { readStateSession, isStateStore } from "./state-store.ts";
it("x", () => {
  const env = { home: "/tmp/ch-work/big", platform: "linux" as const, vars: {} };
  const notes = new ReadNotes();
  const t = (n: string, f: () => unknown) => { const a = performance.now(); const c = process.cpuUsage(); const r = f(); const d = process.cpuUsage(c); console.log("list", n, Math.round(performance.now() - a), "cpu", Math.round((d.user + d.system) / 1000), r); };
  let s: any[] = [];
  t("list", () => (s = h.history.listSessions(env, notes)).length);
  t("tally 500", () => s.slice(0, 500).map((x) => tallyOf(h.history.read(x, env, notes)!)).length);
  t("open 500", () => { for (let i = 0; i < 500; i++) withDatabase("/tmp/ch-work/big/.hermes/state.db", () => 1); });
  t("open+cols 500", () => { for (let i = 0; i < 500; i++) withDatabase("/tmp/ch-work/big/.hermes/state.db", (d) => isStateStore(d)); });
  t("one open, 500 reads", () => withDatabase("/tmp/ch-work/big/.hermes/state.db", (d) => { for (const x of s.slice(0, 500)) readStateSession(d, x.sessionId, notes); }));
}, 120000);
