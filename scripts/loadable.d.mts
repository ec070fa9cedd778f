export function loadable(text: string): string;
