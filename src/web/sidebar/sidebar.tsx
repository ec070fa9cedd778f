/** The sidebar: projects and places with their running and recent sessions. */
import type { JSX } from "preact";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { openPalette } from "../palette/palette.tsx";
import { tilde } from "../state/agents.ts";
import { collapsed } from "../state/preferences.ts";
import { isComplete } from "../state/projection.ts";
import { route } from "../state/route.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { arrangement, filter } from "./arrangement.ts";
import type { Group } from "./groups.ts";
import { gap, listHandlers } from "./drag-rows.ts";
import { PreviousDrawer } from "./previous-drawer.tsx";
import { SessionRow } from "./session-row.tsx";
import { SidebarFoot } from "./sidebar-foot.tsx";

const VIEWS: readonly { path: string; view: string; label: string; icon: IconName }[] = [
  { path: "/overview", view: "overview", label: "Overview", icon: "grid" },
  { path: "/sessions", view: "sessions", label: "Sessions", icon: "list" },
  { path: "/search", view: "search", label: "Search", icon: "search" },
  { path: "/cost", view: "cost", label: "Cost", icon: "chart" },
];

export function Sidebar(): JSX.Element {
  const { groups, previous } = arrangement.value;
  return (
    <nav class="sidebar" aria-label="Sessions">
      <header class="sidebar-head">
        <a class="brand" href="/overview" aria-label="amux, overview">
          <img src="/icon.svg" alt="" width="22" height="22" />
          amux
        </a>
        <button type="button" class="quiet keys" title="Command palette" onClick={() => openPalette()}>
          <kbd>Ctrl K</kbd>
        </button>
        <button type="button" class="primary small" onClick={() => openLaunch()}>
          <Icon name="plus" size={14} /> New
        </button>
      </header>
      <ul class="views">
        {VIEWS.map(({ path, view, label, icon }) => (
          <li key={view}>
            <a href={path} aria-current={route.value.view === view ? "page" : undefined}>
              <Icon name={icon} /> {label}
            </a>
          </li>
        ))}
      </ul>
      <input
        id="filter"
        class="field small"
        type="search"
        placeholder="Filter sessions"
        aria-label="Filter sessions"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <div class="groups">
        {groups.map((group) => (
          <SessionGroup key={group.key} group={group} />
        ))}
        {isComplete.value && groups.length === 0 ? (
          <p class="empty small">
            {filter.value === "" ? "No sessions running. Start one with New." : "No session matches."}
          </p>
        ) : null}
      </div>
      <PreviousDrawer sessions={previous} />
      <SidebarFoot />
    </nav>
  );
}

function SessionGroup({ group }: { group: Group }): JSX.Element {
  const { key, name, path, hint } = group;
  const isClosed = collapsed.value.includes(key);
  const isLast = gap.value?.group === key && gap.value.before === null;
  const toggle = (): void => {
    collapsed.value = isClosed ? collapsed.value.filter((other) => other !== key) : [...collapsed.value, key];
  };
  return (
    <section class="group" aria-label={hint === undefined ? name : `${name} in ${hint}`}>
      <header class="group-head">
        <button type="button" class="group-name" aria-expanded={!isClosed} title={tilde(path)} onClick={toggle}>
          <span class="chevron">
            <Icon name="chevron" size={12} />
          </span>
          {name}
          {hint === undefined ? null : <span class="group-hint">{hint}</span>}
          {isClosed ? <span class="count">{group.sessions.length}</span> : null}
        </button>
        {path === "" ? null : (
          <IconButton icon="plus" label={`New session in ${name}`} onClick={() => openLaunch(path)} />
        )}
      </header>
      {isClosed ? null : (
        <ul class={`rows ${isLast ? "drop-last" : ""}`} {...listHandlers(key)}>
          {group.sessions.map((session) => (
            <SessionRow key={session.id} session={session} root={path} group={key} />
          ))}
        </ul>
      )}
    </section>
  );
}
