/** A tool call and its result. */
import type { ComponentChildren, JSX } from "preact";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionToolCall } from "../../core/session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { plural } from "../ui/figures.ts";
import { duration } from "../ui/times.ts";
import { DiffBlock } from "./diff-block.tsx";
import { editsOf, callSummary } from "../../core/tool-edits.ts";
import { Clipped, Fold } from "./fold.tsx";
import { imagesIn, wordsIn } from "./images.ts";
import type { Message } from "./transcript.ts";

const LONG_OUTPUT = 6000;

interface ToolCallProps {
  call: Wire<SessionToolCall>;
  id: string;
  isFound: boolean;
  children?: ComponentChildren;
}

export function ToolCallView({ call, id, isFound, children }: ToolCallProps): JSX.Element {
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
      <Fold id={id} summary={summary} open={edits.length > 0 || isFound}>
        {edits.length > 0 ? (
          edits.map((edit, index) => <DiffBlock key={index} edit={edit} />)
        ) : (
          <Clipped
            text={printed(input)}
            limit={LONG_OUTPUT}
            render={(text) => <CodeBlock text={text} language={typeof input === "string" ? "" : "json"} />}
          />
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
  isFound: boolean;
}

export function ToolResultView({ result, content, id, isFound }: ToolResultProps): JSX.Element {
  const images = imagesIn(result?.output);
  const text = images.length > 0 ? wordsIn(result?.output) : content === "" ? printed(result?.output) : content;
  const isError = result?.isError === true;
  const lines = text.trim().split("\n");
  const summary = (
    <>
      <span class={isError ? "bad" : "muted"}>{isError ? "failed" : "→"}</span>
      <span class="tool-gist">{lines[0]!.slice(0, 200)}</span>
      {lines.length > 1 ? <span class="muted line-count">{plural(lines.length - 1, "more line")}</span> : null}
    </>
  );
  return (
    <div class="tool-result">
      {text === "" ? null : (
        <Fold id={id} summary={summary} open={isError || isFound}>
          <Clipped text={text} limit={LONG_OUTPUT} render={(part) => <CodeBlock text={part} />} />
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
