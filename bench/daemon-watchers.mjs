/** Browsers for the daemon's benchmark, in a separate process: event readers, one that never reads, viewers. */
import { connect } from "node:net";
import { WebSocket } from "ws";

const { PORT, TOKEN, READERS, VIEWERS, SESSIONS } = process.env;
const base = `http://127.0.0.1:${PORT}`;
const headers = { authorization: `Bearer ${TOKEN}` };
let bytes = 0;

const readers = await Promise.all(Array.from({ length: Number(READERS) }, openReader));
// Sends a request and never reads the answer.
const mute = connect(Number(PORT), "127.0.0.1");
mute.write(`GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1:${PORT}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
mute.pause();
for (const id of SESSIONS.split(",").slice(0, Number(VIEWERS))) {
  const viewer = new WebSocket(`ws://127.0.0.1:${PORT}/ws/${id}`, { headers });
  viewer.on("message", (data) => (bytes += data.length));
  viewer.on("error", () => undefined);
}
process.send("ready");

process.on("message", (truth) => {
  const wanted = new Map(truth.map((session) => [session.id, JSON.stringify(session)]));
  const wrong = readers.filter((sessions) => {
    if (sessions.size !== wanted.size) return true;
    return [...wanted].some(([id, json]) => JSON.stringify(sessions.get(id)) !== json);
  });
  process.send({ wrong: wrong.length, bytes });
});

async function openReader() {
  const response = await fetch(`${base}/v1/events`, { headers });
  const sessions = new Map();
  void read(response.body, sessions);
  return sessions;
}

async function read(body, sessions) {
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) take(block, sessions);
  }
}

function take(block, sessions) {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  if (event === "sync-begin") sessions.clear();
  if (event !== "session-upsert" && event !== "session-remove") return;
  const { id, session } = JSON.parse(/^data: (.*)$/m.exec(block)[1]);
  if (event === "session-upsert") sessions.set(id, session);
  else sessions.delete(id);
}
