/** The default keys of views that are read: texts, transcripts, changes. */

/** Texts: a transcript, cost, git, metrics, keys. */
export const TEXT: Readonly<Record<string, string>> = {
  j: "down",
  k: "up",
  down: "down",
  up: "up",
  space: "page-down",
  pagedown: "page-down",
  "ctrl+f": "page-down",
  b: "page-up",
  pageup: "page-up",
  "ctrl+b": "page-up",
  "ctrl+d": "half-page-down",
  "ctrl+u": "half-page-up",
  g: "top",
  home: "top",
  "shift+g": "bottom",
  end: "bottom",
  "/": "search",
  n: "next-match",
  "shift+n": "previous-match",
  "?": "help",
  "]": "next-prompt",
  "[": "previous-prompt",
  r: "refresh",
  q: "close",
  esc: "close",
  "ctrl+c": "close",
};

/** For transcripts, in addition to the keys of texts. */
export const TRANSCRIPT: Readonly<Record<string, string>> = {
  c: "again",
  f: "fork",
  y: "copy-id",
  "shift+c": "changes",
  $: "cost",
};

export const CHANGES: Readonly<Record<string, string>> = {
  j: "down",
  k: "up",
  down: "down",
  up: "up",
  pagedown: "page-down",
  pageup: "page-up",
  "ctrl+f": "page-down",
  "ctrl+b": "page-up",
  "ctrl+d": "half-page-down",
  "ctrl+u": "half-page-up",
  g: "top",
  home: "top",
  "shift+g": "bottom",
  end: "bottom",
  "]": "next-hunk",
  "[": "previous-hunk",
  tab: "next-file",
  "shift+tab": "previous-file",
  "/": "search",
  n: "next-match",
  "shift+n": "previous-match",
  enter: "open",
  v: "select",
  space: "select",
  c: "comment",
  l: "comments",
  "shift+s": "send",
  m: "mine",
  u: "since-look",
  "1": "staged",
  "2": "committed",
  r: "refresh",
  "?": "help",
  esc: "cancel",
  q: "close",
  "ctrl+c": "close",
};

/** For the cost view, in addition to the keys of texts. */
export const COSTS: Readonly<Record<string, string>> = {
  g: "grouping",
  p: "period",
};

/** For the repository view, in addition to the keys of texts. */
export const GIT: Readonly<Record<string, string>> = {
  d: "diff",
  "shift+d": "pull-request-diff",
  c: "comments",
  o: "open",
  enter: "open",
};
