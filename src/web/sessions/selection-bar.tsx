/** Actions on the selected sessions. */
import type { JSX } from "preact";
import { api } from "../state/api.ts";
import { comparePath, go } from "../state/route.ts";
import { cell, download } from "../cost/csv.ts";
import { exportPath } from "../transcript/transcript.ts";
import { isConfirmed } from "../ui/confirm-dialog.tsx";
import { plural } from "../ui/figures.ts";
import { attempt, tell, tellUndo } from "../ui/notices.ts";
import { fewAtOnce } from "./few-at-once.ts";
import type { SessionRow } from "./rows.ts";
import { TagForm } from "./tag-form.tsx";

export function SelectionBar({ rows, onDone }: { rows: readonly SessionRow[]; onDone(): void }): JSX.Element {
  const running = rows.flatMap(({ session }) => (session?.alive === true ? [session] : []));
  // A past session that never ran here only loses its row.
  const ended = rows.flatMap(({ session }) =>
    session?.alive === false && session.started_at !== undefined ? [session] : [],
  );
  const told = rows.filter(({ unifiedId }) => unifiedId !== undefined);
  const [first, second] = told;
  const canCompare = rows.length === 2 && told.length === 2 && first!.peer === second!.peer;
  /** A failure does not stop the others. */
  const each = async (ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<string[]> => {
    const done: string[] = [];
    await fewAtOnce(ids, async (id) => {
      if ((await attempt(() => act(id))) !== undefined) done.push(id);
    });
    return done;
  };
  const end = async (): Promise<void> => {
    const names = running.map(({ title }) => title).join(", ");
    if (!(await isConfirmed(`End ${plural(running.length, "session")}?`, "End", names))) return;
    await each(
      running.map(({ id }) => id),
      (id) => api.kill(id),
    );
    onDone();
  };
  const dismiss = async (): Promise<void> => {
    const detail = "Their last screens are deleted. Conversations stay in their agent's files.";
    if (!(await isConfirmed(`Dismiss ${plural(ended.length, "session")}?`, "Dismiss", detail))) return;
    const done = await each(
      ended.map(({ id }) => id),
      (id) => api.dismiss(id),
    );
    onDone();
    if (done.length === 0) return;
    // Others may be selected when it is taken back.
    tellUndo(`Dismissed ${plural(done.length, "session")}.`, () => each(done, (id) => api.restore(id)));
  };
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected sessions">
      <strong>{rows.length} selected</strong>
      {canCompare ? (
        <button
          type="button"
          class="small"
          onClick={() => go(comparePath(first!.unifiedId!, second!.unifiedId!, first!.peer))}
        >
          Compare
        </button>
      ) : null}
      {told.length === 0 ? null : <TagForm rows={told} />}
      {told.length === 0 ? null : (
        <button type="button" class="small" onClick={() => void attempt(() => exportAll(told))}>
          Export Markdown
        </button>
      )}
      <button type="button" class="small" onClick={() => download("amux-sessions.csv", csvOf(rows))}>
        Export CSV
      </button>
      {running.length === 0 ? null : (
        <button type="button" class="small" onClick={() => void end()}>
          End {running.length}
        </button>
      )}
      {ended.length === 0 ? null : (
        <button type="button" class="small" onClick={() => void dismiss()}>
          Dismiss {ended.length}
        </button>
      )}
      <button type="button" class="quiet small" onClick={onDone}>
        Clear selection
      </button>
    </div>
  );
}

/** Appends all sessions to one file. */
async function exportAll(rows: readonly SessionRow[]): Promise<void> {
  const parts: string[] = [];
  for (const { unifiedId, peer, title } of rows) {
    const response = await fetch(exportPath(unifiedId!, "markdown", peer));
    if (response.ok) parts.push(await response.text());
    else tell(`“${title}” could not be exported.`, { tone: "bad" });
  }
  download("amux-sessions.md", parts.join("\n\n---\n\n"), "text/markdown");
}

const CSV = [
  "title",
  "agent",
  "model",
  "project",
  "branch",
  "machine",
  "state",
  "turns",
  "usd",
  "started",
  "updated",
] as const;

function csvOf(rows: readonly SessionRow[]): string {
  const lines = rows.map((row) =>
    [row.unifiedId ?? row.key, ...CSV.map((name) => String(row[name] ?? ""))].map(cell).join(","),
  );
  return `id,${CSV.join(",")}\n${lines.join("\n")}\n`;
}
