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

/** A click on a notification leads to its session, in a window that is open already if there is one. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? "/";
  event.waitUntil(
    self.clients.matchAll({ type: "window" }).then((windows) => {
      const [first] = windows;
      if (first === undefined) return self.clients.openWindow(path);
      first.postMessage({ type: "go", path });
      return first.focus();
    }),
  );
});
