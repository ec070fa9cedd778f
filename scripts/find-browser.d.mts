export function ensureBrowser(say?: (text: string) => void): string | undefined;
export const NO_BROWSER: string;
export function findBrowserShell(): string | undefined;
