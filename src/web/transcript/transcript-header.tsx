/** The header of a transcript: title, cost and actions. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { agentOf, type Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { ViewTabs, type Tabs } from "../session/view-tabs.tsx";
import { comparePath, sessionPath } from "../state/route.ts";
import { shareOpen } from "../share/share.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, compact, money, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { ActionMenu, type MenuItem, type MenuLink } from "../ui/menu.tsx";
import { attempt, tell } from "../ui/notices.ts";
import { age, fullTime } from "../ui/times.ts";
import { VaultBadge } from "../ui/vault-badge.tsx";
import { forkLabel, open } from "./continue-menu.tsx";
import { exportPath, type Facts, type Transcript } from "./transcript.ts";

const FORMATS = [
  ["markdown", "Markdown", "md"],
  ["html", "HTML", "html"],
  ["json", "JSON", "json"],
  ["jsonl", "JSON Lines", "jsonl"],
] as const;
const OUTLINE = 400;

export interface TranscriptHeaderProps {
  transcript: Transcript;
  live: MuxSession | undefined;
  tabs: Tabs;
  isFollowing: boolean;
  onFollow(): void;
  onJump(index: number): void;
}

export function TranscriptHeader(props: TranscriptHeaderProps): JSX.Element {
  const { transcript, live, tabs, isFollowing, onFollow } = props;
  const facts = transcript.facts.value;
  const { unifiedId, peer } = transcript;
  const agent = agentOf(unifiedId, peer);
  return (
    <header class="view-head">
      <a class="icon-button only-phone" href="/list" aria-label="All sessions">
        <Icon name="back" />
      </a>
      <div class="view-title">
        <h1>{facts?.title ?? unifiedId}</h1>
        {facts === null ? null : <FactLine facts={facts} transcript={transcript} />}
      </div>
      {transcript.state.value === "failed" && facts === null ? null : (
        <div class="view-actions">
          {facts?.memory === true ? null : <ViewTabs tabs={tabs} isBelow={false} />}
          {facts?.memory === true ? null : live === undefined ? (
            <button
              type="button"
              class="primary"
              disabled={agent?.can_resume === false}
              onClick={() => open(transcript, "resume")}
            >
              <Icon name="play" size={14} /> Resume
            </button>
          ) : (
            <a class="button primary" href={sessionPath(live.id)}>
              <Icon name="terminal" size={14} /> Terminal
            </a>
          )}
          <Outline {...props} />
          {live === undefined ? null : (
            <button type="button" class="small" aria-pressed={isFollowing} onClick={onFollow}>
              Follow
            </button>
          )}
          <ActionMenu label="Actions" items={actionsOf(transcript, agent)} />
        </div>
      )}
    </header>
  );
}

function FactLine({ facts, transcript }: { facts: Facts; transcript: Transcript }): JSX.Element {
  const { agent, model, cwd, cost, updatedAt, turnCount, forkedFrom, inVault, memory } = facts;
  if (memory === true) {
    return (
      <p class="view-line">
        <AgentBadge agent={agent} />
        {transcript.peer === undefined ? null : <span class="badge machine">{transcript.peer}</span>}
        <span class="fact" title={fullTime(updatedAt)}>
          {age(updatedAt)}
        </span>
      </p>
    );
  }
  return (
    <p class="view-line">
      <AgentBadge agent={agent} />
      {transcript.peer === undefined ? null : <span class="badge machine">{transcript.peer}</span>}
      {model === undefined ? null : <span class="fact">{model}</span>}
      {cwd === undefined ? null : (
        <span class="fact wide-only" title={cwd}>
          {baseName(cwd)}
        </span>
      )}
      <span class="fact figure">{plural(turnCount, "turn")}</span>
      <span class="fact figure wide-only">{plural(transcript.count.value, "message")}</span>
      <span class="fact figure" title={`Price: ${cost?.kind ?? "unknown"}`}>
        {cost === undefined || cost.kind === "unknown" ? "cost unknown" : money(cost.totalUsd)}
        {cost?.kind === "lower-bound" || cost?.kind === "unpriced" ? "+" : ""}
      </span>
      {cost === undefined ? null : (
        <span class="fact figure wide-only">
          {compact(cost.inputTokens + cost.outputTokens + (cost.cachedTokens ?? 0))} tokens
        </span>
      )}
      <VaultBadge isShown={inVault === true} />
      {forkedFrom === undefined ? null : (
        <a class="fact figure" href={comparePath(`${agent}:${forkedFrom}`, facts.unifiedId, transcript.peer)}>
          forked
        </a>
      )}
      <span class="fact figure" title={fullTime(updatedAt)}>
        {age(updatedAt)}
      </span>
    </p>
  );
}

function actionsOf(transcript: Transcript, agent: Agent | undefined): (MenuItem | MenuLink)[] {
  const { unifiedId, peer } = transcript;
  const name = unifiedId.replaceAll(/[^\w-]+/g, "-").slice(0, 80);
  const { memory: isMemory = false, title, inVault } = transcript.facts.value ?? {};
  return [
    ...(inVault === true ? [{ label: "Restore files", icon: "refresh" as const, run: () => restore(transcript) }] : []),
    ...(agent === undefined || isMemory
      ? []
      : [
          {
            label: forkLabel(agent),
            icon: "fork" as const,
            disabled: !agent.can_fork,
            run: () => open(transcript, "fork"),
          },
        ]),
    ...(peer !== undefined || title === undefined
      ? []
      : [{ label: "Share…", icon: "share" as const, run: () => (shareOpen.value = { unifiedId, title }) }]),
    { label: "Compare", icon: "compare", href: comparePath(unifiedId, "", peer) },
    ...FORMATS.map(([format, label, extension]) => ({
      label: `Export as ${label}`,
      icon: "download" as const,
      href: exportPath(unifiedId, format, peer),
      download: `${name}.${extension}`,
    })),
  ];
}

/** Writes its files back from the vault. */
function restore({ unifiedId, peer, facts }: Transcript): void {
  void attempt(async () => {
    const { restored } = await api.restoreFiles(unifiedId, peer);
    const { inVault: _, ...left } = facts.value!;
    facts.value = left;
    tell(`${plural(restored, "file")} restored.`);
  });
}

/** A table of contents of the prompts. */
function Outline({ transcript, onJump }: TranscriptHeaderProps): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="menu outline" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary class="icon-button" title="Go to a prompt" aria-label="Prompts">
        <Icon name="text" />
      </summary>
      <ul>
        {(isOpen.value ? transcript.prompts.slice(0, OUTLINE) : []).map((index) => (
          <li key={index}>
            <button
              type="button"
              onClick={(event) => {
                event.currentTarget.closest("details")!.open = false;
                onJump(index);
              }}
            >
              {transcript.message(index)?.content.slice(0, 90) || "(empty)"}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
