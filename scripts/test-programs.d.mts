export function ensureTestPrograms(say: (text: string) => void): string[];
export function untestableFiles(directory: string): string[];
export function postgresPrograms(): string | undefined;
