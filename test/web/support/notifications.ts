import type { Page } from "playwright-core";

export interface Shown {
  tag: string;
  title: string;
  body: string;
  actions: string[];
}

/** The notifications on show. Asks in the product's turn: a look meanwhile would make Chromium forget the one being shown. */
export const shown = (page: Page): Promise<Shown[]> =>
  page.evaluate<Shown[]>(
    `navigator.serviceWorker.ready.then((worker) => navigator.locks.request("amux-notifications", async () =>
      (await worker.getNotifications()).map(
        ({ tag, title, body, actions }) => ({ tag, title, body, actions: actions.map(({ action }) => action) }))))`,
  );
