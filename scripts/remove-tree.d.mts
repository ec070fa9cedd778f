export function removeTree(path: string): Promise<void>;
