/** Compares two sessions side by side. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { DiffOperation, SessionDiff } from "../../core/diff.ts";
import { api } from "../state/api.ts";
import { transcriptPath } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";
import { messageOf } from "../ui/notices.ts";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { plural } from "../ui/figures.ts";
import { callSummary } from "../../core/tool-edits.ts";
import { ChangedText } from "./changed-text.tsx";
import { ChooseSessions, type CompareProps } from "./choose-sessions.tsx";

/** `hidden`: how many equal messages a row stands for. */
type Operation = Wire<DiffOperation> & { hidden?: number };

const NONE: readonly Operation[] = [];
const GUESSED_HEIGHT = 90;
const SHORT_ID = 13;
/** Equal messages shown around each change. */
const CONTEXT = 1;

export function CompareView({ a, b, peer }: CompareProps): JSX.Element {
  const diff = useSignal<Wire<SessionDiff> | null>(null);
  const problem = useSignal("");
  const isWhole = useSignal(false);
  const list = useRef<VirtualListHandle | null>(null);
  useEffect(() => {
    if (a === "" || b === "") return;
    const leaving = new AbortController();
    api.diff(a, b, leaving.signal, peer).then(
      (value) => (diff.value = value),
      (error: unknown) => {
        if (!leaving.signal.aborted) problem.value = messageOf(error);
      },
    );
    return () => leaving.abort();
  }, []);
  const { value: whole } = isWhole;
  const operations = diff.value?.operations ?? NONE;
  const rows = useMemo(() => (whole ? operations : folded(operations)), [operations, whole]);
  const render = useCallback((index: number) => <OperationRow operation={rows[index]!} />, [rows]);
  if (a === "" || b === "") return <ChooseSessions a={a} b={b} peer={peer} />;
  return (
    <article class="compare">
      <header class="view-head">
        <a class="icon-button only-phone" href="/list" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <div class="view-title">
          <h1>Compare</h1>
          <p class="view-line">
            <SessionLink unifiedId={a} peer={peer} />
            <SessionLink unifiedId={b} peer={peer} />
          </p>
        </div>
        {diff.value === null ? null : <Stats stats={diff.value.stats} />}
        <button
          type="button"
          class="small"
          aria-pressed={isWhole.value}
          onClick={() => (isWhole.value = !isWhole.value)}
        >
          Show all
        </button>
      </header>
      {problem.value === "" ? null : (
        <p class="empty bad" role="alert">
          {problem.value}
        </p>
      )}
      {diff.value === null && problem.value === "" ? <p class="empty">Comparing …</p> : null}
      <VirtualList
        count={rows.length}
        guess={GUESSED_HEIGHT}
        label="Differences"
        follow={false}
        handle={list}
        render={render}
      />
    </article>
  );
}

/** Its title, and the beginning of its id: forks have equal titles. */
function SessionLink({ unifiedId, peer }: { unifiedId: string; peer: string | undefined }): JSX.Element {
  const title = useSignal("");
  useEffect(() => {
    const leaving = new AbortController();
    // The comparison itself reports a session that cannot be read.
    api.transcript(unifiedId, 0, 0, leaving.signal, peer).then(
      (part) => (title.value = part.title),
      () => undefined,
    );
    return () => leaving.abort();
  }, []);
  const [agent = "", id = ""] = unifiedId.split(":");
  return (
    <a class="fact" href={transcriptPath(unifiedId, undefined, peer)} title={unifiedId}>
      {title.value === "" ? unifiedId : `${title.value} (${agent}:${id.slice(0, SHORT_ID)})`}
    </a>
  );
}

function Stats({ stats }: { stats: SessionDiff["stats"] }): JSX.Element {
  return (
    <p class="stats" role="status">
      <span class="removed">−{stats.removals}</span> <span class="added">+{stats.additions}</span>{" "}
      <span class="changed">~{stats.modifications}</span>{" "}
      <span class="muted">{stats.unchanged.toLocaleString("en-US")} unchanged</span>
    </p>
  );
}

/** Collapses long runs of equal messages into one row. */
function folded(operations: readonly Operation[]): Operation[] {
  const isNear = (at: number): boolean => {
    for (let index = at - CONTEXT; index <= at + CONTEXT; index++) {
      const near = operations[index];
      if (near !== undefined && near.type !== "unchanged") return true;
    }
    return false;
  };
  const rows: Operation[] = [];
  for (const [index, operation] of operations.entries()) {
    const last = rows.at(-1);
    if (operation.type !== "unchanged" || isNear(index)) rows.push(operation);
    else if (last?.hidden === undefined) rows.push({ type: "unchanged", hidden: 1 });
    else last.hidden++;
  }
  return rows;
}

function OperationRow({ operation }: { operation: Operation }): JSX.Element {
  const { type, indexA, indexB, messageA, messageB, hidden } = operation;
  if (hidden !== undefined) return <article class="same-gap">{plural(hidden, "unchanged message")}</article>;
  if (type === "unchanged") {
    return (
      <article class="pair same">
        <Side index={indexA} role={messageA?.role} text={textOf(messageA)} />
        <Side index={indexB} role={messageA?.role} text={textOf(messageA)} />
      </article>
    );
  }
  if (type === "modification") {
    return (
      <article class="pair modification">
        <ChangedText
          before={textOf(messageA)}
          after={textOf(messageB)}
          left={<SideHead index={indexA} role={messageA?.role} />}
          right={<SideHead index={indexB} role={messageB?.role} />}
        />
      </article>
    );
  }
  return (
    <article class={`pair ${type}`}>
      {messageA === undefined ? (
        <div class="side none" />
      ) : (
        <Side index={indexA} role={messageA.role} text={textOf(messageA)} />
      )}
      {messageB === undefined ? (
        <div class="side none" />
      ) : (
        <Side index={indexB} role={messageB.role} text={textOf(messageB)} />
      )}
    </article>
  );
}

/** The text and the tool calls of a message. */
function textOf(message: Operation["messageA"]): string {
  if (message === undefined) return "";
  const calls = (message.toolCalls ?? []).map(({ toolName, input }) => `${toolName} ${callSummary(input)}`);
  return [message.content, ...calls].filter((part) => part !== "").join("\n");
}

const SHOWN_CHARACTERS = 3000;

function Side({
  index,
  role,
  text,
}: {
  index?: number | undefined;
  role?: string | undefined;
  text: string;
}): JSX.Element {
  return (
    <div class="side">
      <SideHead index={index} role={role} />
      <pre class="prose">
        {text.slice(0, SHOWN_CHARACTERS)}
        {text.length > SHOWN_CHARACTERS ? " …" : ""}
      </pre>
    </div>
  );
}

function SideHead({ index, role }: { index?: number | undefined; role?: string | undefined }): JSX.Element {
  return (
    <p class="side-head muted">
      {role} {index === undefined ? "" : `#${index}`}
    </p>
  );
}
