/** A stand-in for two vendors' model services on a local port. It answers with words, or with a shell command if asked. */
import { createServer } from "node:http";

export async function startModelService() {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => answer(request, body, response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function answer(request, body, response) {
  const path = new URL(request.url, "http://x").pathname;
  const asked = safeJson(body);
  if (path.endsWith("/messages")) return messages(asked, response);
  if (path.endsWith("/responses")) return responses(asked, response);
  if (path.endsWith("/count_tokens")) return json(response, { input_tokens: 10 });
  if (path.endsWith("/models")) return json(response, { data: [], models: [] });
  json(response, {});
}

function safeJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** What the last message asks for; empty for plain closing words. */
function wish(text) {
  if (/run the (\w+) command/.test(text))
    return { command: /quick/.test(text) ? "echo quick > made.txt" : "sleep 6; echo slow > made.txt" };
  return /take long/.test(text) ? { slow: true } : {};
}

function messages(asked, response) {
  const last = asked.messages?.at(-1)?.content ?? "";
  const blocks = typeof last === "string" ? [{ type: "text", text: last }] : last;
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
  const shell = (asked.tools ?? []).map((tool) => tool.name).find((name) => /^bash$/i.test(name));
  // After a refusal the tool's result and the next prompt come together.
  const wanted = shell === undefined ? {} : wish(texts.join(" "));
  const stream = startStream(response);
  const event = (type, data) => stream(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event("message_start", {
    message: {
      id: `msg_${Date.now()}`,
      type: "message",
      role: "assistant",
      model: asked.model,
      content: [],
      stop_reason: null,
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  });
  const finish = (reason) => {
    event("content_block_stop", { index: 0 });
    event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } });
    event("message_stop", {});
    response.end();
  };
  if (wanted.command !== undefined) {
    event("content_block_start", {
      index: 0,
      content_block: { type: "tool_use", id: `toolu_${Date.now()}`, name: shell, input: {} },
    });
    const input = JSON.stringify({ command: wanted.command, description: "Run it" });
    event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: input } });
    return finish("tool_use");
  }
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "All right." } });
  if (wanted.slow) setTimeout(() => response.writable && finish("end_turn"), 60_000);
  else finish("end_turn");
}

function responses(asked, response) {
  const input = Array.isArray(asked.input) ? asked.input : [];
  // Context may follow the prompt; a tool result comes last.
  const prompts = input
    .filter((item) => item.role === "user")
    .map((item) => (item.content ?? []).map((part) => part.text ?? "").join(" "));
  const text = prompts.findLast((prompt) => !prompt.startsWith("<")) ?? "";
  const isAnswered = input
    .slice(input.findLastIndex((item) => item.role === "user"))
    .some((item) => /output$/.test(item.type ?? ""));
  const names = (asked.tools ?? []).map((tool) => tool.name);
  const shell = ["exec_command", "shell", "shell_command"].find((name) => names.includes(name));
  const wanted = isAnswered || shell === undefined ? {} : wish(text);
  const stream = startStream(response);
  const id = `resp_${Date.now()}`;
  const event = (type, data) => stream(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event("response.created", { response: { id } });
  const finish = (item) => {
    event("response.output_item.done", { output_index: 0, item });
    event("response.completed", {
      response: {
        id,
        output: [item],
        usage: {
          input_tokens: 5,
          output_tokens: 7,
          total_tokens: 12,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
    });
    response.end();
  };
  if (wanted.command !== undefined) {
    const args =
      shell === "shell"
        ? { command: ["bash", "-lc", wanted.command] }
        : { cmd: wanted.command, command: wanted.command };
    const justified = {
      ...args,
      sandbox_permissions: "require_escalated",
      with_escalated_permissions: true,
      justification: "May I?",
    };
    return finish({
      type: "function_call",
      id: `fc_${Date.now()}`,
      call_id: `call_${Date.now()}`,
      name: shell,
      arguments: JSON.stringify(justified),
      status: "completed",
    });
  }
  const message = {
    type: "message",
    id: `msg_${Date.now()}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "All right.", annotations: [] }],
  };
  if (wanted.slow) setTimeout(() => response.writable && finish(message), 60_000);
  else finish(message);
}

function startStream(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (text) => response.writable && response.write(text);
}
