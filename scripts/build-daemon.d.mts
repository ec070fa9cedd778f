export function buildDaemon(directory: string): Promise<string>;
