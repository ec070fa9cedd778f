/** How each agent is driven in a session, and what it can do there. */
import type { TempHome } from "../../support/temp-home.ts";

export interface Spoken {
  /** Arguments that prevent side requests to the service. */
  args?: string[];
  /** Asks on its screen before it runs a command. */
  permits: boolean;
  /** Has a tool that asks the user in a plain session. */
  asks: boolean;
  /** Accepts a reason when permission is refused. */
  takesReason?: boolean;
  /** Comments were also sent to a newly started one. */
  takesPrompt?: boolean;
  /** The option on the page after a question. */
  submits?: string;
  /** Only its screen shows a permission, as a question like others. */
  asksOnScreen?: boolean;
  /** False: amux cannot type an own answer to a question. */
  takesOwnWords?: boolean;
  /** False: nothing tells amux which conversation a session holds. */
  namesSession?: boolean;
  /** Its hooks cannot be given to one start. */
  needsHooks?: boolean;
  prepare?(home: TempHome, vars: Record<string, string>): void;
}

const KEY = "sk-ant-api03-00000000000000000000000000000000";

export const SPOKEN: Readonly<Record<string, Spoken>> = {
  claude: {
    permits: true,
    asks: true,
    takesReason: true,
    takesPrompt: true,
    prepare(home, vars) {
      const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] };
      const settings = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses };
      home.write(".claude.json", JSON.stringify(settings));
      home.write(".claude/settings.json", JSON.stringify({ permissions: { defaultMode: "default" } }));
      vars["ANTHROPIC_API_KEY"] = KEY;
    },
  },
  codex: {
    // Otherwise it asks only before it leaves its sandbox, and questions only in plan mode.
    args: ["-s", "workspace-write", "-a", "on-request", "--enable", "default_mode_request_user_input"],
    permits: true,
    asks: true,
    takesReason: true,
    takesPrompt: true,
  },
  gemini: { args: ["-m", "gemini-2.5-flash"], permits: true, asks: true },
  copilot: { permits: true, asks: true, takesReason: true },
  opencode: {
    permits: true,
    asks: true,
    prepare: (home) => home.write("work/opencode.json", JSON.stringify({ permission: { bash: "ask" } })),
  },
  kilo: {
    permits: true,
    asks: true,
    prepare: (home) => home.write("work/kilo.json", JSON.stringify({ permission: { bash: "ask" } })),
  },
  pi: { permits: false, asks: false },
  kimi: { permits: true, asks: true, submits: "Submit", needsHooks: true },
  // By itself it lets a model judge its commands.
  qwen: { args: ["--approval-mode", "default"], permits: true, asks: true },
  cn: {
    // It reads no configuration by itself before its first sign-in.
    args: ["--config", "../.continue/config.yaml"],
    permits: true,
    asks: true,
    takesReason: true,
    asksOnScreen: true,
    takesOwnWords: false,
    namesSession: false,
  },
  grok: { permits: true, asks: true, takesReason: true, needsHooks: true },
  droid: { permits: true, asks: true },
  cline: { args: ["--auto-approve", "false"], permits: true, asks: true, asksOnScreen: true, namesSession: false },
};
