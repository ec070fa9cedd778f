export const OTHER_NODES: readonly number[];
export function otherNode(major: number): string;
export function ensureOtherNodes(say: (text: string) => void): number[];
