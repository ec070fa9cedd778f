/** Full-text search in all sessions while typing. */
import type { SessionHit } from "../../history/search/results.ts";
import { typedQuery } from "../../history/search/typed-query.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { resumeConversation, transcriptView } from "../dashboard/transcript.ts";
import { age } from "../dashboard/figures.ts";
import { oneLine } from "../../lib/text/text.ts";
import { statusLook, THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { ListView, type ListItem } from "./list-view.ts";

/** The debounce time; each search reads an index. */
const PAUSE_MS = 200;
const MAX_HITS = 50;
/** The accepted age of the session list while typing. */
const STALE_MS = 30_000;

export function historySearch(stage: Stage): ListView {
  let asked = "";
  let hits: readonly SessionHit[] = [];
  let timer: NodeJS.Timeout | undefined;
  let note = "";
  /** The query of these hits. */
  let answered = "";
  const search = async (text: string): Promise<void> => {
    try {
      const history = await stage.services.history();
      const how = { limit: MAX_HITS, staleMs: STALE_MS, counts: false, index: "fill" } as const;
      const onProgress = (): void => {
        // A newer query replaced this one; it may be reading all sessions.
        if (text !== asked) throw new Error("given up");
      };
      const found = await history.search({ ...typedQuery(text), ...how, onProgress });
      if (text !== asked) return;
      hits = found;
      note = "";
    } catch (error) {
      if (text !== asked) return;
      note = errorText(error);
    }
    answered = text;
    stage.redraw();
  };
  return new ListView(stage, {
    title: "Search all sessions",
    hint: "enter read  tab resume",
    placeholder: 'words, "phrases", -not, agent: model: cwd: after: edited: tag:',
    filtered: true,
    closed: () => {
      clearTimeout(timer);
      asked = "";
    },
    empty: (filter) => (filter.trim() === "" ? "" : filter.trim() === answered ? "nothing found" : "searching …"),
    items: (filter) => {
      const text = filter.trim();
      if (text !== asked) {
        asked = text;
        hits = text === "" ? [] : hits;
        clearTimeout(timer);
        if (text !== "") timer = setTimeout(() => void search(text), PAUSE_MS);
      }
      return note === ""
        ? hits.map((hit) => itemOf(stage, hit))
        : [{ id: "", label: note, icon: { text: "!", look: THEME.bad } }];
    },
    act: (action, item, _filter, view) => {
      const hit = hits.find(({ unifiedId }) => unifiedId === item?.id);
      if (hit === undefined) return;
      const { agent, sessionId, title } = hit;
      if (action === "choose") {
        stage.push(transcriptView(stage, title, { agent, sessionId }));
      } else if (action === "choose-beside") {
        if (hit.memory === true) return stage.say("This is a note of the agent; there is no session to resume.");
        view.close();
        stage.attempt(resumeConversation(stage, agent, sessionId));
      }
    },
  });
}

function itemOf({ services }: Stage, hit: SessionHit): ListItem {
  const [first] = hit.matches;
  const agent = services.agentLabel(hit.agent);
  return {
    id: hit.unifiedId,
    label: `${oneLine(hit.title)}${first === undefined ? "" : `  ${oneLine(first.snippet)}`}`,
    detail: hit.memory === true ? agent : `${agent} ${age(hit.updatedAt.getTime(), Date.now())}`,
    icon: { text: statusLook("done").icon, look: THEME.dim },
  };
}
