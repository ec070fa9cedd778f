/**
 * What Node does not document is used only with versions that it was tried with: called wrongly it may end the process
 * instead of throwing, so it cannot be tried out where it runs.
 */
const NEWEST_TRIED_NODE = 26;

export function isTriedNode(): boolean {
  return Number.parseInt(process.versions.node, 10) <= NEWEST_TRIED_NODE;
}
