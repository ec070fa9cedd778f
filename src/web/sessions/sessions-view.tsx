/** The sessions table: filter, sorting, and actions on several sessions. */
import { computed, signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { asked, peers, sessions } from "../state/projection.ts";
import { param, searchPath, sessionPath, setParams, transcriptPath } from "../state/route.ts";
import { money, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { VaultBadge } from "../ui/vault-badge.tsx";
import { COLUMNS, sorted, type Column } from "./columns.tsx";
import { ColumnsMenu, SavedViews } from "./columns-menu.tsx";
import { FieldPickers } from "./field-pickers.tsx";
import { filterOf } from "./filter.ts";
import { rowsOf, type SessionRow } from "./rows.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { columnsIn } from "./shown-columns.ts";
import { listed, problem, silent, state, useListed } from "./table-request.ts";

const ROW_HEIGHT = 37;
const DEFAULT_SORT = "-updated";

const rows = computed(() => rowsOf(listed.value, sessions.value.values(), asked.value));
/** Row keys. A filtered-out row stays selected, but actions skip it. */
const chosen = signal<ReadonlySet<string>>(new Set());

export function SessionsView(): JSX.Element {
  useListed();
  const list = useRef<VirtualListHandle | null>(null);
  const last = useSignal<string | null>(null);
  const [query, sort] = [param("q"), param("sort") || DEFAULT_SORT];
  const columns = columnsOf(param("columns"), peers.value.length > 0);
  const filter = useMemo(() => filterOf(query), [query]);
  const shown = useMemo(
    () => ("problem" in filter ? [] : sorted(rows.value.filter(filter.matches), sort)),
    [rows.value, filter, sort],
  );
  useEffect(() => list.current?.scrollTo(0), [query, sort]);
  const grid = `28px minmax(160px, 2fr) ${columns.map(({ width }) => width).join(" ")}`;
  /** Shift selects a range from the last selected row. */
  const select = (key: string, isOn: boolean, isRange: boolean): void => {
    const [from, to] = [shown.findIndex((row) => row.key === last.value), shown.findIndex((row) => row.key === key)];
    const meant = isRange && from >= 0 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [shown[to]!];
    const next = new Set(chosen.value);
    for (const row of meant) {
      if (isOn) next.add(row.key);
      else next.delete(row.key);
    }
    last.value = key;
    chosen.value = next;
  };
  const render = useCallback(
    (index: number) => {
      const row = shown[index];
      return row === undefined ? null : (
        <Row row={row} columns={columns} grid={grid} isChosen={chosen.value.has(row.key)} onSelect={select} />
      );
    },
    [shown, grid, chosen.value],
  );
  const picked = shown.filter(({ key }) => chosen.value.has(key));
  return (
    <article class="sessions">
      <header class="sessions-head">
        <div class="sessions-top">
          <a class="icon-button only-phone" href="/list" aria-label="All sessions">
            <Icon name="back" />
          </a>
          <h1>Sessions</h1>
          <p class="muted small-text" role="status">
            {summaryOf(shown)}
          </p>
          <span class="sessions-tools">
            <SavedViews />
            <ColumnsMenu shown={columns.map(({ name }) => name)} />
          </span>
        </div>
        <input
          id="search"
          class="field"
          type="search"
          placeholder="Filter: words, agent:codex, state:running, cost:>1, after:7d, -tag:test"
          aria-label="Filter sessions by words and fields"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => setParams({ q: event.currentTarget.value })}
        />
        <FieldPickers rows={rows.value} query={query} />
        {"problem" in filter ? (
          <p class="small-text bad" role="alert">
            {filter.problem}
          </p>
        ) : null}
        {silent.value.map(({ machine, error }) => (
          <p key={machine} class="small-text bad" role="status">
            {machine} did not answer: {error}
          </p>
        ))}
      </header>
      <div class="sessions-table" role="table" aria-label="Sessions" aria-rowcount={shown.length + 1}>
        <div role="rowgroup">
          <div class="sessions-row head" role="row" style={{ gridTemplateColumns: grid }}>
            <span role="columnheader">
              <input
                type="checkbox"
                aria-label="Select all shown sessions"
                checked={picked.length > 0 && picked.length === shown.length}
                onChange={({ currentTarget }) =>
                  (chosen.value = new Set(currentTarget.checked ? shown.map(({ key }) => key) : []))
                }
              />
            </span>
            <SortHead name="title" label="Title" sort={sort} />
            {columns.map(({ name, label, isNumber = false }) => (
              <SortHead key={name} name={name} label={label} sort={sort} isNumber={isNumber} />
            ))}
          </div>
        </div>
        <VirtualList
          count={shown.length}
          guess={ROW_HEIGHT}
          label="Sessions"
          role="rowgroup"
          follow={false}
          handle={list}
          render={render}
        />
      </div>
      {shown.length === 0 ? <Nothing query={query} /> : null}
      {picked.length === 0 ? null : <SelectionBar rows={picked} onDone={() => (chosen.value = new Set())} />}
    </article>
  );
}

function columnsOf(text: string, hasPeers: boolean): Column[] {
  const names = columnsIn(text, hasPeers);
  return COLUMNS.filter(({ name }) => names.includes(name));
}

function summaryOf(shown: readonly SessionRow[]): string {
  if (state.value === "reading") return "Reading …";
  if (state.value === "failed") return problem.value;
  const running = shown.filter(({ isRunning }) => isRunning).length;
  const usd = shown.reduce((sum, row) => sum + (row.usd ?? 0), 0);
  const words = [
    plural(shown.length, "session"),
    running === 0 ? "" : `${running} running`,
    usd === 0 ? "" : money(usd),
    state.value === "counting" ? "counting turns and cost …" : "",
  ];
  return words.filter(Boolean).join(" · ");
}

function SortHead(props: { name: string; label: string; sort: string; isNumber?: boolean }): JSX.Element {
  const { name, label, sort, isNumber = false } = props;
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  // Numbers and dates sort in descending order first.
  const next = order === undefined ? (isNumber ? `-${name}` : name) : order === "ascending" ? `-${name}` : name;
  return (
    <span role="columnheader" class={isNumber ? "number" : ""} {...(order === undefined ? {} : { "aria-sort": order })}>
      <button
        type="button"
        class="quiet"
        title={`Sort by ${label.toLowerCase()}`}
        onClick={() => setParams({ sort: next === DEFAULT_SORT ? "" : next })}
      >
        {label}
        {order === undefined ? null : <Icon name={order === "ascending" ? "up" : "down"} size={11} />}
      </button>
    </span>
  );
}

interface RowProps {
  row: SessionRow;
  columns: readonly Column[];
  grid: string;
  isChosen: boolean;
  onSelect(key: string, isOn: boolean, isRange: boolean): void;
}

function Row({ row, columns, grid, isChosen, onSelect }: RowProps): JSX.Element {
  const { key, title } = row;
  return (
    <div
      class={`sessions-row ${isChosen ? "chosen" : ""}`}
      role="row"
      data-key={key}
      style={{ gridTemplateColumns: grid }}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isChosen}
          onClick={(event) => onSelect(key, event.currentTarget.checked, event.shiftKey)}
        />
      </span>
      <span role="cell" class="cell-title">
        <VaultBadge isShown={row.inVault === true} />
        <a href={pathOf(row)} title={title} onKeyDown={moveAmongRows}>
          {title}
        </a>
      </span>
      {columns.map((column) => (
        <span
          key={column.name}
          role="cell"
          class={column.isNumber === true ? "number" : ""}
          title={column.title?.(row)}
        >
          {column.show(row)}
        </span>
      ))}
    </div>
  );
}

/** Opens the terminal of a running session, else the transcript, else the last screen. */
function pathOf({ session, unifiedId, peer }: SessionRow): string {
  if (session !== undefined && (session.alive || unifiedId === undefined)) return sessionPath(session.id);
  return transcriptPath(unifiedId!, undefined, peer);
}

function moveAmongRows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const links = [...document.querySelectorAll<HTMLElement>(".cell-title a")];
  links[links.findIndex((link) => link === event.currentTarget) + step]?.focus();
}

function Nothing({ query }: { query: string }): JSX.Element | null {
  if (state.value === "reading" || state.value === "failed") return null;
  if (query.trim() === "") {
    return (
      <div class="empty">
        <p>
          Sessions of your agents appear here, running or past. amux found none on this machine yet;{" "}
          <code>amux doctor</code> shows where it looked.
        </p>
        <button type="button" class="primary" onClick={() => openLaunch()}>
          New session
        </button>
      </div>
    );
  }
  return (
    <p class="empty">
      No session matches.{" "}
      <button type="button" class="small" onClick={() => setParams({ q: "" })}>
        Clear the filter
      </button>{" "}
      <a href={searchPath(query)}>Search messages instead</a>
    </p>
  );
}
