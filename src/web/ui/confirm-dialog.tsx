/** Asks before an irreversible action. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { Dialog } from "./dialog.tsx";

interface Question {
  text: string;
  /** The consequence, or the command to run. */
  detail: string;
  /** The verb on the button. */
  action: string;
  answer(isMeant: boolean): void;
}

const asked = signal<Question | null>(null);

export function isConfirmed(text: string, action: string, detail = ""): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      text,
      detail,
      action,
      answer: (isMeant) => {
        asked.value = null;
        resolve(isMeant);
      },
    };
  });
}

export function QuestionDialog(): JSX.Element | null {
  const question = asked.value;
  if (question === null) return null;
  const { text, detail, action, answer } = question;
  return (
    <Dialog key={text} label={text} onClose={() => answer(false)} class="question">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer(true);
        }}
      >
        <h2>{text}</h2>
        {detail === "" ? null : <p class="question-detail">{detail}</p>}
        <footer class="dialog-foot">
          <button type="button" onClick={() => answer(false)}>
            Cancel
          </button>
          <button type="submit" class="primary" autofocus>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
