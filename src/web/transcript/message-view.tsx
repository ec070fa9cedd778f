/** A message of a transcript. */
import type { ComponentChildren, JSX } from "preact";
import { IconButton } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { compact, money } from "../ui/figures.ts";
import { transcriptPath } from "../state/route.ts";
import { clock, duration, fullTime } from "../ui/times.ts";
import { apiError, subagentSession, withoutAttached, withoutVendorTags } from "./message-kinds.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Clipped, Fold } from "./fold.tsx";
import { Picture } from "./picture.tsx";
import { ToolCallView, ToolResultView } from "./tool-view.tsx";
import type { Message, Subagent, TurnCost } from "./transcript.ts";

export interface MessageProps {
  message: Message;
  index: number;
  /** Its link target; absent for messages of sub-agents. */
  unifiedId?: string | undefined;
  /** The machine of the session, if not this one. */
  peer?: string | undefined;
  subagents: readonly Subagent[];
  isMarked?: boolean;
  /** A search matched here, so collapsed parts are open. */
  isFound?: boolean;
  /** Since the message before it. */
  tookMs?: number | undefined;
  /** For a prompt: the usage of its turn. */
  turn?: TurnCost | undefined;
  /** Opens the continue menu; gets the button's position. */
  onGoOn?: ((button: DOMRect) => void) | undefined;
}

const NAMES = { user: "You", assistant: "Agent", system: "Note", tool: "Result" };
/** The placeholder of an image in the text. */
const PICTURE = "[image]";
/** Shorter steps are not worth a figure. */
const SHORTEST_MS = 1000;
/** Longer text is collapsed. */
const LONG_TEXT = 12_000;

export function MessageView(props: MessageProps): JSX.Element {
  const { message, index, unifiedId, peer, subagents, isMarked = false, isFound = false, tookMs, turn, onGoOn } = props;
  const { role, thinking, toolCalls = [], toolResult, inherited, images = [] } = message;
  const { files, rest: told } = withoutAttached(role, withoutVendorTags(message));
  const content = images.length === 0 ? told : told.replaceAll(PICTURE, "").trim();
  const problem = apiError(role, content);
  const helper = role === "tool" && unifiedId !== undefined ? subagentSession(message.content) : undefined;
  const classes = `message ${role} ${inherited === true ? "inherited" : ""} ${isMarked ? "marked" : ""}`;
  return (
    <article class={classes} aria-label={`${NAMES[role]}, message ${index}`}>
      {role === "tool" ? null : (
        <MessageHead
          message={message}
          index={index}
          unifiedId={unifiedId}
          peer={peer}
          tookMs={tookMs}
          turn={turn}
          onGoOn={onGoOn}
        />
      )}
      {thinking === undefined || thinking === "" ? null : (
        <Fold id={`${unifiedId ?? ""} ${index} thinking`} class="thinking" summary="Thinking" open={isFound}>
          <Clipped text={thinking} limit={LONG_TEXT} render={(text) => <Markdown text={text} />} />
        </Fold>
      )}
      {files.map(({ path, text }) => (
        <AttachedFile key={path} id={`${unifiedId ?? ""} ${index} ${path}`} path={path} text={text} isFound={isFound} />
      ))}
      {role === "tool" ? (
        <ToolResultView
          result={toolResult}
          content={content}
          id={`${unifiedId ?? ""} ${index} result`}
          isFound={isFound}
        />
      ) : problem !== undefined ? (
        <p class="bad">{problem}</p>
      ) : content === "" ? null : (
        <Clipped text={content} limit={LONG_TEXT} render={(text) => <Markdown text={text} />} />
      )}
      {helper === undefined ? null : (
        <a class="helper-link" href={transcriptPath(`${unifiedId!.split(":", 1)[0]}:${helper}`, undefined, peer)}>
          Sub-agent's session
        </a>
      )}
      {images.map((image, at) => (
        <Picture key={at} image={image} label={`Picture ${at + 1} of message ${index}`} />
      ))}
      {toolCalls.map((call) => (
        <ToolCallView
          key={call.toolCallId}
          call={call}
          id={`${unifiedId ?? ""} ${index} ${call.toolCallId}`}
          isFound={isFound}
        >
          {subagents
            .filter((helper) => helper.toolCallId === call.toolCallId)
            .map((helper) => (
              <SubagentView key={helper.id} helper={helper} others={subagents.filter(({ id }) => id !== helper.id)} />
            ))}
        </ToolCallView>
      ))}
    </article>
  );
}

function AttachedFile({
  id,
  path,
  text,
  isFound,
}: {
  id: string;
  path: string;
  text: string;
  isFound: boolean;
}): JSX.Element {
  const name = (
    <>
      Attached: <span class="path">{path}</span>
    </>
  );
  if (text === "") return <p class="muted attached">{name}</p>;
  return (
    <Fold id={id} summary={name} open={isFound}>
      <Clipped text={text} limit={LONG_TEXT} render={(part) => <CodeBlock text={part} />} />
    </Fold>
  );
}

function MessageHead({
  message,
  index,
  unifiedId,
  peer,
  tookMs,
  turn,
  onGoOn,
}: Pick<MessageProps, "message" | "index" | "unifiedId" | "peer" | "tookMs" | "turn" | "onGoOn">): JSX.Element {
  const { role, timestamp, model, inherited } = message;
  return (
    <header class="message-head">
      <strong>{NAMES[role]}</strong>
      {role === "assistant" && model !== undefined ? <span class="muted wide-only">{model}</span> : null}
      {inherited === true ? <span class="badge">copied</span> : null}
      <Spending message={message} />
      {tookMs === undefined || tookMs < SHORTEST_MS ? null : (
        <span class="muted wide-only" title="Since the message before it">
          {duration(tookMs)}
        </span>
      )}
      {turn === undefined || turn.replies < 2 ? null : <TurnSum turn={turn} />}
      {timestamp === undefined ? null : (
        <time class="muted" dateTime={timestamp} title={fullTime(timestamp)}>
          {clock(timestamp)}
        </time>
      )}
      {onGoOn === undefined ? null : (
        <IconButton
          icon="fork"
          label="Continue from here"
          class="go-on-here"
          onClick={({ currentTarget }) => onGoOn((currentTarget as HTMLElement).getBoundingClientRect())}
        />
      )}
      {message.content === "" ? null : <CopyButton text={() => message.content} label="Copy this message" />}
      {unifiedId === undefined ? null : (
        <a class="permalink" href={transcriptPath(unifiedId, index, peer)} title="Link to this message">
          #{index}
        </a>
      )}
    </header>
  );
}

/** A turn of one reply has no sum, because the reply shows the same. */
function TurnSum({ turn: { usd, isPriced, input, output, replies, ms } }: { turn: TurnCost }): JSX.Element {
  return (
    <span class="spending muted" title={`The whole turn: ${replies} replies`}>
      <span>turn</span>
      {ms === undefined ? null : <span>{duration(ms)}</span>}
      {isPriced ? <span>{money(usd)}</span> : null}
      <span class="wide-only">
        ↑{compact(input)} ↓{compact(output)}
      </span>
    </span>
  );
}

function Spending({ message: { tokenUsage, cost } }: { message: Message }): JSX.Element | null {
  if (tokenUsage === undefined && cost === undefined) return null;
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = tokenUsage ?? {};
  const words = [
    `${inputTokens.toLocaleString()} input`,
    `${cachedTokens.toLocaleString()} cache reads`,
    `${cacheWriteTokens.toLocaleString()} cache writes`,
    `${outputTokens.toLocaleString()} output`,
  ].join(", ");
  return (
    <span class="spending muted" title={words}>
      {cost === undefined ? null : <span>{money(cost.totalUsd)}</span>}
      {tokenUsage === undefined ? null : (
        <span class="wide-only">
          ↑{compact(inputTokens + cachedTokens + cacheWriteTokens)} ↓{compact(outputTokens)}
        </span>
      )}
    </span>
  );
}

const SHOWN_OF_HELPER = 100;

export interface SubagentProps {
  helper: Subagent;
  /** Sub-agents that it may have started. */
  others: readonly Subagent[];
}

export function SubagentView({ helper, others }: SubagentProps): JSX.Element {
  const { id, label, model, messages } = helper;
  const summary: ComponentChildren = (
    <>
      Sub-agent <strong>{label ?? id}</strong> <span class="muted">{model}</span>{" "}
      <span class="count">{messages.length}</span>
    </>
  );
  return (
    <Fold id={`helper ${id}`} class="helper" summary={summary}>
      {messages.slice(0, SHOWN_OF_HELPER).map((message, index) => (
        <MessageView key={index} message={message} index={index} subagents={others} />
      ))}
      {messages.length > SHOWN_OF_HELPER ? (
        <p class="muted">… {messages.length - SHOWN_OF_HELPER} more; an export has them all.</p>
      ) : null}
    </Fold>
  );
}
