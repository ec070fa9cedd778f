/** Factory Droid in a terminal. */
import { playDialogs } from "../dialogs.mjs";

const questionnaire = "1. [question] Which colour shall the mug have?\n[topic] Colour\n[option] Red\n[option] Blue\n";

export const play = (stage) =>
  playDialogs(stage, {
    args: [],
    isReady: /Trust this folder\?|\? for help/,
    async begin({ key, screen, until, rest }) {
      if (!screen().includes("Trust this folder?")) return;
      await key("Enter");
      await until("the composer", () => screen().includes("? for help"));
      await rest();
    },
    isPermission: /No, cancel/,
    allow: ["Enter"],
    question: ["AskUser", { questionnaire }],
    stop: "Escape",
  });
