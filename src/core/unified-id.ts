/** `<agent>:<nativeId>`, both ways. Native ids may hold colons; agent names may not. */

export function joinUnifiedId(agent: string, nativeSessionId: string): string {
  return `${agent}:${nativeSessionId}`;
}

export function splitUnifiedId(unifiedId: string): { agent: string; nativeSessionId: string } | null {
  const colon = unifiedId.indexOf(":");
  if (colon <= 0 || colon === unifiedId.length - 1) return null;
  return { agent: unifiedId.slice(0, colon), nativeSessionId: unifiedId.slice(colon + 1) };
}
