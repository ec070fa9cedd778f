/**
 * What `import.meta` says, in a CommonJS bundle. Its address is only made when somebody asks for it: that takes longer than
 * anything else in a small file.
 */
export const IMPORT_META = {
  banner: { js: 'const importMeta={get url(){return require("node:url").pathToFileURL(__filename).href}};' },
  define: {
    "import.meta.url": "importMeta.url",
    "import.meta.dirname": "__dirname",
    "import.meta.filename": "__filename",
  },
};
