/**
 * A chat-completions service on loopback. Its replies come from a script, one after the other, and bill known tokens. Requests with
 * few tools are for titles and the like; they get a text of their own. So do Grok's summaries of turns, which list its tools and
 * forbid them: they would take the reply to the next prompt.
 */
import { createServer } from "node:http";

const FORBIDS_TOOLS = "Do NOT call any tools";

export async function startService() {
  const state = { queue: [], served: [], strange: [], requests: [] };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => answer(request, response, body));
  });
  // A slow program would write to a connection that has just been closed.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", resolve));
  const port = server.address().port;

  function answer(request, response, text) {
    const path = new URL(request.url, "http://x").pathname;
    if (request.method === "GET" && path.endsWith("/models")) {
      response.setHeader("content-type", "application/json");
      return response.end(
        JSON.stringify({ object: "list", data: [{ id: state.model ?? "mock-1", object: "model", owned_by: "mock" }] }),
      );
    }
    if (!path.endsWith("/chat/completions")) {
      state.strange.push(`${request.method} ${request.url} ${text.slice(0, 300)}`);
      response.statusCode = 404;
      return response.end("{}");
    }
    const body = JSON.parse(text);
    state.requests.push(body);
    const isSide = state.isSide ? state.isSide(body) : (body.tools ?? []).length < 4 || text.includes(FORBIDS_TOOLS);
    const reply = isSide
      ? { text: state.sideText ?? "A title", side: true }
      : (state.queue.shift() ?? { text: "Nothing more is scripted." });
    const number = state.served.length + 1;
    const usage = reply.usage ?? {
      input: 1000 + number * 7,
      cached: 500 + number * 3,
      output: 20 + number,
      thinking: reply.thinking ? 10 + number : 0,
    };
    state.served.push({ reply, usage, model: body.model, side: isSide });
    if (reply.refuse) {
      response.writeHead(reply.refuse, { "content-type": "application/json" });
      return response.end(
        JSON.stringify({ error: { message: "The request was refused.", type: "invalid_request_error" } }),
      );
    }
    const calls = (reply.tools ?? []).map(([name, input], index) => ({
      index,
      id: `call_${number}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const wire = {
      prompt_tokens: usage.input + usage.cached,
      completion_tokens: usage.output + usage.thinking,
      total_tokens: usage.input + usage.cached + usage.output + usage.thinking,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.thinking },
    };
    const base = { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000), model: body.model };
    if (!body.stream) {
      response.setHeader("content-type", "application/json");
      return response.end(
        JSON.stringify({
          ...base,
          object: "chat.completion",
          choices: [
            {
              index: 0,
              message: {
                role: "assistant",
                content: reply.text ?? null,
                ...(reply.thinking && { reasoning_content: reply.thinking }),
                ...(calls.length && { tool_calls: calls }),
              },
              finish_reason: calls.length ? "tool_calls" : "stop",
            },
          ],
          usage: wire,
        }),
      );
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish = null) =>
      response.write(
        `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    send({ role: "assistant" });
    if (reply.thinking) send({ reasoning_content: reply.thinking });
    for (const word of (reply.text ?? "").split(/(?<= )/)) if (word) send({ content: word });
    if (reply.stall) return state.onStall?.();
    for (const call of calls) send({ tool_calls: [call] });
    send({}, calls.length ? "tool_calls" : "stop");
    response.write(
      `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [], usage: wire })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    state,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
