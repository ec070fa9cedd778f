/** The recorded session's id. */
export const CHANGING: string;
/** Returns the repository's path. */
export function writeDemoChanges(home: string): string;
