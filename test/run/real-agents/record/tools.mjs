const OPENCODE_TOOLS = {
  read: (p) => ["read", { filePath: p }],
  edit: (p, a, b) => ["edit", { filePath: p, oldString: a, newString: b }],
  write: (p, c) => ["write", { filePath: p, content: c }],
  shell: (c) => ["bash", { command: c, description: "Look" }],
  sub: (p) => ["task", { description: "Count files", prompt: p, subagent_type: "general" }],
};

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
    sub: (p) => ["Subagent", { description: "Count files", prompt: p, subagent_name: "counter" }],
  },
  grok: {
    read: (p) => ["read_file", { target_file: p }],
    edit: (p, a, b) => ["search_replace", { file_path: p, old_string: a, new_string: b }],
    write: (p, c) => ["write", { file_path: p, content: c }],
    shell: (c) => ["run_terminal_command", { command: c, description: "Look" }],
    sub: (p) => ["spawn_subagent", { description: "Count files", prompt: p, background: false }],
  },
  droid: {
    read: (p) => ["Read", { file_path: p }],
    edit: (p, a, b) => ["Edit", { file_path: p, old_str: a, new_str: b }],
    write: (p, c) => ["Create", { file_path: p, content: c }],
    shell: (c) => ["Execute", { summary: "Look", command: c, riskLevelReason: "Only reads.", riskLevel: "low" }],
    sub: (p) => [
      "Task",
      { subagent_type: "worker", description: "Count files", prompt: p, complexity: "low", await: true },
    ],
  },
  cline: {
    read: (p) => ["read_files", { files: [{ path: p }] }],
    edit: (p, a, b) => ["apply_patch", { input: patch(`*** Update File: ${p}\n@@\n-${a}\n+${b}`) }],
    write: (p, c) => ["apply_patch", { input: patch(`*** Add File: ${p}\n${c.trimEnd().replaceAll(/^/gm, "+")}`) }],
    shell: (c) => ["run_commands", { commands: [c] }],
    sub: (p) => ["spawn_agent", { systemPrompt: "You count files.", task: p }],
  },
  opencode: OPENCODE_TOOLS,
  kilo: OPENCODE_TOOLS,
};

function patch(text) {
  return `*** Begin Patch\n${text}\n*** End Patch`;
}
