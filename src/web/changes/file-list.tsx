/** The changed files: a list beside the lines, and each file's heading above its own. */
import type { JSX } from "preact";
import type { ChangedFile } from "../../core/changes.ts";
import { Icon } from "../ui/icon.tsx";
import { plural } from "../ui/figures.ts";
import type { Changes } from "./changes.ts";

/** More would slow the page down; the lines show all of them. */
const LISTED = 500;

const STATES: Partial<Record<ChangedFile["state"], string>> = {
  added: "new",
  deleted: "deleted",
  renamed: "renamed",
  typechange: "type changed",
  untracked: "untracked",
};

export function FileList({
  files,
  onChoose,
}: {
  files: readonly ChangedFile[];
  onChoose(file: ChangedFile): void;
}): JSX.Element {
  return (
    <nav class="file-list" aria-label="Changed files">
      <ul>
        {files.slice(0, LISTED).map((file) => (
          <li key={file.path}>
            <button type="button" class="quiet" title={file.path} onClick={() => onChoose(file)}>
              <span class="path">{file.path}</span> <Counts file={file} />
            </button>
          </li>
        ))}
      </ul>
      {files.length > LISTED ? <p class="muted">{plural(files.length - LISTED, "more file")}</p> : null}
    </nav>
  );
}

export function FileHead({ changes, file }: { changes: Changes; file: ChangedFile }): JSX.Element {
  const { path, oldPath, state } = file;
  const isFolded = changes.folded.value.has(path);
  const word = STATES[state];
  return (
    <h2 class="file-head">
      <button type="button" class="quiet" aria-expanded={!isFolded} onClick={() => changes.fold(path)}>
        <span class="chevron">
          <Icon name="chevron" size={12} />
        </span>
        <span class="path">
          {oldPath === undefined || oldPath === path ? "" : `${oldPath} → `}
          {path}
        </span>
        {word === undefined ? null : <span class="badge">{word}</span>}
        <Counts file={file} />
      </button>
      <button type="button" class="small" aria-label={`Seen: ${path}`} onClick={() => void changes.see([file])}>
        Seen
      </button>
    </h2>
  );
}

function Counts({ file: { added, removed, isBinary } }: { file: ChangedFile }): JSX.Element {
  return isBinary ? (
    <span class="muted">binary</span>
  ) : (
    <span class="counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}
