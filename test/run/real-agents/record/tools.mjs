export const TOOLS = {
  qwen: {
    read: (p) => ["read_file", { file_path: p }],
    edit: (p, a, b) => ["edit", { file_path: p, old_string: a, new_string: b }],
    write: (p, c) => ["write_file", { file_path: p, content: c }],
    shell: (c) => ["run_shell_command", { command: c, is_background: false, description: "Look" }],
    sub: (p) => ["agent", { description: "Count files", prompt: p, subagent_type: "general-purpose" }],
  },
  kimi: {
    read: (p) => ["Read", { path: p }],
    edit: (p, a, b) => ["Edit", { path: p, old_string: a, new_string: b }],
    write: (p, c) => ["Write", { path: p, content: c }],
    shell: (c) => ["Bash", { command: c }],
    sub: (p) => ["Agent", { description: "Count files", prompt: p, subagent_type: "coder" }],
  },
  cn: {
    read: (p) => ["Read", { filepath: p }],
    edit: (p, a, b) => ["MultiEdit", { file_path: p, edits: [{ old_string: a, new_string: b }] }],
    write: (p, c) => ["Write", { filepath: p, content: c }],
    shell: (c) => ["Bash", { command: c }],
  },
  grok: {
    read: (p) => ["read_file", { target_file: p }],
    edit: (p, a, b) => ["search_replace", { file_path: p, old_string: a, new_string: b }],
    write: (p, c) => ["write", { file_path: p, content: c }],
    shell: (c) => ["run_terminal_command", { command: c, description: "Look" }],
    sub: (p) => ["spawn_subagent", { description: "Count files", prompt: p, background: false }],
  },
};
