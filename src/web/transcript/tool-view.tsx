/** A tool's call and its result. */
import type { ComponentChildren, JSX } from "preact";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionToolCall } from "../../core/session.ts";
import { duration } from "../ui/times.ts";
import { DiffBlock } from "./diff-block.tsx";
import { editsOf, callSummary } from "../../core/tool-edits.ts";
import { Clipped, Fold } from "./fold.tsx";
import { imagesIn, wordsIn } from "./images.ts";
import type { Message } from "./transcript.ts";

const LONG_OUTPUT = 6000;
const SHORT_OUTPUT = 400;

interface ToolCallProps {
  call: Wire<SessionToolCall>;
  id: string;
  children?: ComponentChildren;
}

export function ToolCallView({ call, id, children }: ToolCallProps): JSX.Element {
  const { toolName, input, durationMs, isError } = call;
  const edits = editsOf(input);
  const summary = (
    <>
      <span class={`tool-name ${isError === true ? "bad" : ""}`}>{toolName}</span>
      <span class="tool-gist">{callSummary(input)}</span>
      {durationMs === undefined ? null : <span class="muted">{duration(durationMs)}</span>}
    </>
  );
  return (
    <div class="tool">
      <Fold id={id} summary={summary} open={edits.length > 0}>
        {edits.length > 0 ? (
          edits.map((edit, index) => <DiffBlock key={index} edit={edit} />)
        ) : (
          <Clipped text={printed(input)} limit={LONG_OUTPUT} render={(text) => <pre class="code">{text}</pre>} />
        )}
      </Fold>
      {children}
    </div>
  );
}

export interface ToolResultProps {
  result: Message["toolResult"];
  content: string;
  id: string;
}

export function ToolResultView({ result, content, id }: ToolResultProps): JSX.Element {
  const images = imagesIn(result?.output);
  const text = images.length > 0 ? wordsIn(result?.output) : content === "" ? printed(result?.output) : content;
  const isError = result?.isError === true;
  const summary = (
    <>
      <span class={isError ? "bad" : "muted"}>{isError ? "failed" : "→"}</span>
      <span class="tool-gist">{text.trim().split("\n", 1)[0]!.slice(0, 200)}</span>
    </>
  );
  return (
    <div class="tool-result">
      {text === "" ? null : (
        <Fold id={id} summary={summary} open={isError || text.length < SHORT_OUTPUT}>
          <Clipped text={text} limit={LONG_OUTPUT} render={(part) => <pre class="code">{part}</pre>} />
        </Fold>
      )}
      {images.map((address, index) => (
        <img key={index} class="shot" src={address} alt={`Image ${index + 1} of the result`} />
      ))}
    </div>
  );
}

function printed(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
