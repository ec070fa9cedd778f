export interface DemoDaemon {
  readonly home: string;
  readonly place: string;
  readonly origin: string;
  start(): Promise<void>;
  endSessions(): Promise<void>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  ask<Data>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Data>;
  loginLink(): Promise<string>;
  launch(script: string, options?: object): Promise<string>;
  close(): Promise<void>;
}

export function startDemoDaemon(options?: {
  history?: boolean | readonly string[];
  vars?: Record<string, string>;
  prepare?(home: string): void;
  patienceMs?: number;
}): Promise<DemoDaemon>;
