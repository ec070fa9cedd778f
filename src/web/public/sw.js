/**
 * Keeps the page's own files, so that it opens without the daemon and says so. Data is never kept: what is not a file of
 * this build goes to the network untouched. The build fills in the two names.
 */
const CACHE = `amux-${__VERSION__}`;
const FILES = __FILES__;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    // The daemon's answer when there is one: it may be newer.
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (FILES.includes(url.pathname)) {
    event.respondWith(caches.match(url.pathname).then((kept) => kept ?? fetch(request)));
  }
});

/** From the daemon, through the browser's push service, encrypted for this browser. */
self.addEventListener("push", (event) => {
  const message = event.data?.json() ?? {};
  event.waitUntil(inTurn(() => (message.event === "withdraw" ? withdraw(message) : show(message))));
});

/**
 * One at a time, here and in every page: Chromium takes a notification that it is about to show for one that has gone when
 * somebody asks which are shown. Its buttons would then do nothing.
 */
function inTurn(act) {
  return navigator.locks.request("amux-notifications", act);
}

function show({ tag, title = "amux", body = "", path, question, isFailure = false }) {
  const answers = question === undefined ? [] : ["Allow", "Deny"];
  const buttons = [...answers, "Open"].slice(0, Notification.maxActions ?? 0);
  return self.registration.showNotification(title, {
    tag,
    body,
    icon: "/icon-192.png",
    data: { path, question },
    requireInteraction: question !== undefined || isFailure,
    actions: buttons.map((name) => ({ action: name.toLowerCase(), title: name })),
  });
}

/** Browsers end a subscription whose pushes show nothing: so a silent one takes its place, and goes. */
async function withdraw({ tag, title = "amux" }) {
  await self.registration.showNotification(title, { tag, body: "Answered.", silent: true, icon: "/icon-192.png" });
  for (const shown of await self.registration.getNotifications())
    if (shown.tag === tag || shown.tag === failedTag(tag)) shown.close();
}

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  const { path = "/", question } = notification.data ?? {};
  notification.close();
  const isAnswer = question !== undefined && (action === "allow" || action === "deny");
  event.waitUntil(isAnswer ? answer(action, question, path, notification.tag) : open(path));
});

/** Of its own: the end of the one that was clicked may come late, and would take this one along. */
function failedTag(tag) {
  return `${tag}-failed`;
}

/** As the page answers: with its cookie, and only the question that was shown. */
async function answer(decision, { session, asked }, path, tag) {
  let problem = "amux cannot be reached from here.";
  try {
    const response = await fetch(`/v1/sessions/${session}/answer`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ answer: decision, asked }),
    });
    const { ok, data, error } = await response.json();
    if (ok && data.confirmed) return;
    problem = ok ? "The session did not visibly accept the answer." : error.message;
    if (response.status === 401) problem = "This browser is not signed in any more.";
  } catch {
    // It is said below.
  }
  const failure = { tag: failedTag(tag), title: "Not answered", body: problem, path, isFailure: true };
  await inTurn(() => show(failure));
}

/** Leads to its session, in a window that is open already if there is one. */
async function open(path) {
  const { origin } = self.location;
  const target = new URL(path, origin);
  if (target.origin !== origin) return;
  const [first] = await self.clients.matchAll({ type: "window" });
  if (first === undefined) return self.clients.openWindow(target.href);
  first.postMessage({ type: "go", path });
  return first.focus();
}
