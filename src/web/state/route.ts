/** The routes of the page. Addresses can be shared, bookmarked and opened in another tab. */
import { signal } from "@preact/signals";
import { conversationOf } from "../../client/conversation.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";

export type Route =
  /** `id` may also be a slug, `<kind>/<slug>`, or a name. */
  | { view: "session"; id: string | null }
  | { view: "transcript"; unifiedId: string; message: number | null; peer: string | undefined }
  | { view: "search"; query: string }
  | { view: "compare"; a: string; b: string; peer: string | undefined }
  | { view: "cost" }
  | { view: "overview" }
  | { view: "sessions" }
  /** All running sessions and their projects: the sidebar on a desktop, a separate view on a phone. */
  | { view: "list" }
  | { view: "settings" }
  | { view: "unknown"; path: string }
  | { view: "login"; code: string | null };

export const route = signal<Route>(parse(location.href));

export function parse(address: string): Route {
  const url = new URL(address);
  const [, first = "", second = "", third = ""] = url.pathname.split("/");
  switch (first) {
    case "s":
      return { view: "session", id: second === "" ? null : decoded(third === "" ? second : `${second}/${third}`) };
    case "t": {
      const message = /^#m(\d{1,9})$/.exec(url.hash)?.[1];
      return {
        view: "transcript",
        unifiedId: decodeURIComponent(second),
        message: message === undefined ? null : Number(message),
        peer: peerIn(url),
      };
    }
    case "search":
      return { view: "search", query: url.searchParams.get("q") ?? "" };
    case "compare":
      return {
        view: "compare",
        a: url.searchParams.get("a") ?? "",
        b: url.searchParams.get("b") ?? "",
        peer: peerIn(url),
      };
    case "cost":
    case "overview":
    case "sessions":
    case "list":
    case "settings":
      return { view: first };
    case "login":
      return { view: "login", code: new URLSearchParams(url.hash.slice(1)).get("code") };
    case "":
      return { view: "session", id: null };
    default:
      return { view: "unknown", path: decoded(url.pathname) };
  }
}

/** Returns the text itself if it is not valid percent-encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The machine of the session; undefined for this one. */
function peerIn({ searchParams }: URL): string | undefined {
  return searchParams.get("peer") ?? undefined;
}

export const sessionPath = (id: string): string => `/s/${id}`;
export const transcriptPath = (unifiedId: string, message?: number, peer?: string): string => {
  const query = peer === undefined ? "" : `?peer=${encodeURIComponent(peer)}`;
  return `/t/${encodeURIComponent(unifiedId)}${query}${message === undefined ? "" : `#m${message}`}`;
};
/** The route of a session's transcript; undefined while it has none. */
export const conversationPath = (session: MuxSession): string | undefined => {
  const conversation = conversationOf(session);
  return conversation && transcriptPath(conversation, undefined, session.peer);
};
export const searchPath = (query: string): string =>
  query === "" ? "/search" : `/search?q=${encodeURIComponent(query)}`;
export const comparePath = (a: string, b = "", peer?: string): string =>
  `/compare?${new URLSearchParams({ a, b, ...(peer === undefined ? {} : { peer }) }).toString()}`;

export function go(path: string): void {
  if (path !== location.pathname + location.search + location.hash) history.pushState(null, "", path);
  route.value = parse(location.href);
}

/** A view's parameter in the address; empty if absent. */
export function param(name: string): string {
  void route.value;
  return new URLSearchParams(location.search).get(name) ?? "";
}

/** Sets parameters; empty values are removed. */
export function setParams(values: Readonly<Record<string, string>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  rename(url.pathname + url.search + url.hash);
}

/** Changes the address without a new view. */
export function rename(path: string): void {
  history.replaceState(null, "", path);
  route.value = parse(location.href);
}

addEventListener("popstate", () => (route.value = parse(location.href)));

/** Handles links inside the page without a reload. */
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element).closest("a[href]");
  if (link === null || link.hasAttribute("target") || link.hasAttribute("download")) return;
  const href = link.getAttribute("href")!;
  if (!href.startsWith("/") || href.startsWith("/v1/")) return;
  event.preventDefault();
  go(href);
});
