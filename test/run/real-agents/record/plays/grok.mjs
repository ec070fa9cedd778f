/** Grok Build in a terminal. */
import { playDialogs } from "../dialogs.mjs";

const options = [
  { label: "Red", description: "Like fire." },
  { label: "Blue", description: "Like the sea." },
];

export const play = (stage) =>
  playDialogs(stage, {
    args: [],
    isReady: /❯/,
    isPermission: /No, reject/,
    // The first option would allow everything.
    allow: ["Down", "Enter"],
    question: ["ask_user_question", { questions: [{ question: "Which colour shall the mug have?", options }] }],
    stop: "C-c",
  });
