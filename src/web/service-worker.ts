/** Installs the page's service worker, which opens the page without the daemon and shows notifications. */

/** One file that does not come ends an installation; the browser itself repeats it with the next load at the earliest. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

export async function keepServiceWorker(retryMs = RETRY_MS): Promise<void> {
  if (await isSettled()) return;
  setTimeout(() => void keepServiceWorker(Math.min(2 * retryMs, MAX_RETRY_MS)), retryMs);
}

/** It is installed, or the browser allows none here. */
async function isSettled(): Promise<boolean> {
  try {
    const { active, waiting, installing } = await navigator.serviceWorker.register("/sw.js");
    // An older one serves until its successor is installed.
    return active !== null || (await isEverActive(waiting ?? installing!));
  } catch (error) {
    return error instanceof DOMException && error.name === "SecurityError";
  }
}

function isEverActive(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (worker.state === "activated" || worker.state === "redundant") resolve(worker.state === "activated");
    };
    worker.addEventListener("statechange", look);
    look();
  });
}
