/** The page: sidebar, attention strip, and the view for the current route. */
import type { JSX } from "preact";
import { castOpen } from "./cast/cast.ts";
import { AttentionStrip } from "./attention/attention-strip.tsx";
import { LaunchDialog } from "./launch/launch-dialog.tsx";
import { Login } from "./login.tsx";
import { OverviewView } from "./overview/overview-view.tsx";
import { KeyHelp } from "./palette/key-help.tsx";
import { Palette } from "./palette/palette.tsx";
import { SessionView } from "./session/session-view.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { shareOpen } from "./share/share.ts";
import { connection } from "./state/projection.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { route } from "./state/route.ts";
import { QuestionDialog } from "./ui/confirm-dialog.tsx";
import { lazy } from "./ui/lazy.tsx";
import { NoticeList } from "./ui/notice-list.tsx";

const CompareView = lazy(async () => (await import("./compare/compare-view.tsx")).CompareView);
const CostView = lazy(async () => (await import("./cost/cost-view.tsx")).CostView);
const SearchView = lazy(async () => (await import("./search/search-view.tsx")).SearchView);
const SessionsView = lazy(async () => (await import("./sessions/sessions-view.tsx")).SessionsView);
const CastPlayer = lazy(async () => (await import("./cast/cast-player.tsx")).CastPlayer);
const ShareDialog = lazy(async () => (await import("./share/share-dialog.tsx")).ShareDialog);
const TranscriptView = lazy(async () => (await import("./transcript/transcript-view.tsx")).TranscriptView);
const SettingsView = lazy(async () => (await import("./settings/settings-view.tsx")).SettingsView);

export function App(): JSX.Element {
  const { view } = route.value;
  if (view === "login" || connection.value === "unauthorized") return <Login />;
  return (
    <div class={`page view-${view}`}>
      <a class="skip" href="#main">
        Skip to the session
      </a>
      <Sidebar />
      <main id="main" class="main" tabIndex={-1}>
        <ConnectionBanner />
        <AttentionStrip />
        <View />
      </main>
      <LaunchDialog />
      <Palette />
      <KeyHelp />
      {castOpen.value === null ? null : <CastPlayer session={castOpen.value} onClose={() => (castOpen.value = null)} />}
      {shareOpen.value === null ? null : (
        <ShareDialog session={shareOpen.value} onClose={() => (shareOpen.value = null)} />
      )}
      <QuestionDialog />
      <NoticeList />
    </div>
  );
}

function View(): JSX.Element {
  const here = route.value;
  switch (here.view) {
    case "transcript":
      return (
        <TranscriptView
          key={`${here.peer ?? ""} ${here.unifiedId}`}
          unifiedId={here.unifiedId}
          peer={here.peer}
          message={here.message}
        />
      );
    case "settings":
      return <SettingsView />;
    case "sessions":
      return <SessionsView />;
    case "search":
      return <SearchView />;
    case "compare":
      return <CompareView key={`${here.peer ?? ""} ${here.a} ${here.b}`} a={here.a} b={here.b} peer={here.peer} />;
    case "cost":
      return <CostView />;
    case "overview":
      return <OverviewView />;
    case "session":
      return <SessionView />;
    case "unknown":
      return (
        <div class="blank" data-no-keys>
          <p>
            There is no page “{here.path}”. <a href="/overview">Overview</a>
          </p>
        </div>
      );
    default:
      return <></>;
  }
}
