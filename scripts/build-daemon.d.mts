export const DAEMON_ENTRIES: Record<string, string>;
export function buildDaemon(directory: string): Promise<string>;
