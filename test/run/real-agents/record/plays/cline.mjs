/** The Cline CLI in a terminal. */
import { playDialogs } from "../dialogs.mjs";

export const play = (stage) =>
  playDialogs(stage, {
    args: ["--auto-approve", "false"],
    isReady: /What can I do for you|any other key to close/,
    // At some starts it shows an offer, which any key but Enter closes.
    async begin({ key, rest }) {
      await key("Escape");
      await rest();
    },
    isPermission: /Approve tool call/,
    allow: ["y"],
    question: ["ask_question", { question: "Which colour shall the mug have?", options: ["Red", "Blue"] }],
    stop: "Escape",
  });
