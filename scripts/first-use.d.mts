export function evaluatedAtFirstUse(text: string, paths: Iterable<string>): string;
