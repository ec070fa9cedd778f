/** How much an agent may do without asking. `plan`: read only. `edits`: changes files. `all`: everything. */
export const PERMISSION_MODES = ["plan", "edits", "all"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];
