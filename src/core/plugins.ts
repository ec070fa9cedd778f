/** Plug-in files: agents that amux does not have. */

/** What a file holds is read once: what was checked is what runs. */
export interface PluginFile {
  path: string;
  content: Buffer;
}

export interface PluginFiles {
  trusted: PluginFile[];
  /** One sentence each, for the user. */
  problems: string[];
}
