/** Progress while thousands of sessions are read. */

export type OnProgress = (progress: {
  agent: string;
  stage: "heads" | "sessions";
  done: number;
  total: number;
}) => void;
