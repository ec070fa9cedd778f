/** What a session changed, file by file, with comments that are sent to an agent. */
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { ChangedFile, SessionChanges } from "../../core/changes.ts";
import type { ChangesTarget } from "../../client/daemon-api.ts";
import { plural } from "../ui/figures.ts";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { ChangesTools, filterFrom, useFilter } from "./changes-tools.tsx";
import { ChangeLineView } from "./change-line.tsx";
import type { ChangeRow } from "./change-rows.ts";
import { Changes } from "./changes.ts";
import { CommentCard, CommentForm } from "./comment-card.tsx";
import { FileHead, FileList } from "./file-list.tsx";
import { keepFresh } from "./keep-fresh.ts";
import { OriginLine } from "./origin-line.tsx";
import { SendBar } from "./send-bar.tsx";
import "../style/changes.css";

const LINE_HEIGHT = 20;

export interface ChangesViewProps {
  target: ChangesTarget;
  /** It has the address; one beside it keeps its own filter. */
  isMain: boolean;
}

export function ChangesView({ target, isMain }: ChangesViewProps): JSX.Element {
  const filter = useFilter(isMain);
  const changes = useMemo(() => new Changes(target), []);
  useEffect(() => {
    const stop = keepFresh(changes);
    return () => {
      stop();
      changes.close();
    };
  }, []);
  const wanted = ["changes", "new", "mine"].map((name) => filter.read(name)).join(" ");
  useEffect(() => void changes.load(filterFrom(filter)), [wanted]);
  const list = useRef<VirtualListHandle | null>(null);
  const { value: answer } = changes.answer;
  const { value: rows } = changes.rows;
  const { value: selection } = changes.selection;
  const peer = "id" in target ? target.id.split("@")[1] : target.peer;
  const render = useCallback(
    (index: number) => {
      const row = rows[index];
      return row === undefined ? null : <Row changes={changes} row={row} peer={peer} />;
    },
    [rows, selection],
  );
  const jump = (file: ChangedFile): void => {
    list.current?.scrollTo(rows.findIndex((row) => row.kind === "file" && row.file.path === file.path));
  };
  return (
    <section class="changes" aria-label="Changes">
      <ChangesTools changes={changes} filter={filter} />
      {answer === null ? null : <Facts answer={answer} />}
      {changes.problem.value === "" ? null : (
        <p class="empty bad" role="alert">
          {changes.problem.value}
        </p>
      )}
      {answer === null && changes.isLoading.value ? <p class="empty">Comparing …</p> : null}
      {answer !== null && changes.problem.value === "" && answer.files.length === 0 ? (
        <p class="empty">{wanted.trim() === "" ? "This session changed nothing." : "No change matches the filter."}</p>
      ) : null}
      <Elsewhere changes={changes} />
      {rows.length === 0 || answer === null ? null : (
        <div class="changes-body">
          <FileList files={answer.files} onChoose={jump} />
          <div class="changes-list" onKeyDown={moveBetweenLines}>
            <VirtualList
              count={rows.length}
              guess={LINE_HEIGHT}
              label="Changed lines"
              role="group"
              follow={false}
              handle={list}
              render={render}
            />
          </div>
        </div>
      )}
      <SendBar changes={changes} />
    </section>
  );
}

interface RowProps {
  changes: Changes;
  row: ChangeRow;
  peer: string | undefined;
}

function Row({ changes, row, peer }: RowProps): JSX.Element {
  switch (row.kind) {
    case "file":
      return <FileHead changes={changes} file={row.file} />;
    case "note":
      return (
        <p class="change-note muted">
          {row.text}{" "}
          {row.file.isBinary ? null : (
            <button type="button" class="small" onClick={() => void changes.loadFile(row.file)}>
              Show this file
            </button>
          )}
        </p>
      );
    case "hunk": {
      const { oldStart, oldLines, newStart, newLines, origin, ranges } = row.hunk;
      return (
        <p class="hunk-head">
          <span class="muted place">
            @@ −{oldStart},{oldLines} +{newStart},{newLines} @@
          </span>{" "}
          {ranges === undefined ? <OriginLine origin={origin} peer={peer} /> : "by several edits"}
        </p>
      );
    }
    case "origin":
      return (
        <p class="range-head">
          <OriginLine origin={row.origin} peer={peer} />
        </p>
      );
    case "line": {
      const { value: selection } = changes.selection;
      const isSelected = selection?.hunk === row.hunk && row.index >= selection.from && row.index <= selection.to;
      return <ChangeLineView changes={changes} row={row} isSelected={isSelected} />;
    }
    case "comment":
      return <CommentCard changes={changes} comment={row.comment} />;
    case "composer":
      return (
        <CommentForm
          first={changes.draft.peek()}
          label="Comment on the selected lines"
          onInput={(text) => (changes.draft.value = text)}
          onSave={(text) => changes.comment(text)}
          onCancel={() => {
            changes.selection.value = null;
            changes.draft.value = "";
          }}
        />
      );
  }
}

function Facts({ answer }: { answer: SessionChanges }): JSX.Element {
  const { files, added, removed, base, root, notes = [], truncated } = answer;
  return (
    <p class="changes-facts">
      <strong>{plural(files.length, "file")}</strong> <span class="added">+{added}</span>{" "}
      <span class="removed">−{removed}</span>{" "}
      <span class="muted" title={`${root}, commit ${base.commit}`}>
        {[base.sentence, ...notes, ...(truncated === undefined ? [] : [truncated])].join(" ")}
      </span>
    </p>
  );
}

/** Comments that no visible line has: their code is gone, or they are resolved. */
function Elsewhere({ changes }: { changes: Changes }): JSX.Element | null {
  const shown = new Set(changes.rows.value.flatMap((row) => (row.kind === "comment" ? [row.comment.id] : [])));
  const others = changes.comments.value.filter(({ id }) => !shown.has(id));
  if (others.length === 0) return null;
  return (
    <details class="other-comments">
      <summary>{plural(others.length, "comment")} without visible lines</summary>
      {others.map((comment) => (
        <CommentCard key={comment.id} changes={changes} comment={comment} />
      ))}
    </details>
  );
}

/** Arrow keys move between line numbers. */
function moveBetweenLines(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = (event.target as Element).closest(".line-number")?.closest("[data-index]");
  if (step === undefined || row == null) return;
  event.preventDefault();
  let next = step === 1 ? row.nextElementSibling : row.previousElementSibling;
  while (next !== null && next.querySelector(".line-number") === null)
    next = step === 1 ? next.nextElementSibling : next.previousElementSibling;
  next?.querySelector<HTMLElement>(".line-number")?.focus();
}
