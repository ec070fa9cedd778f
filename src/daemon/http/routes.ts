/** Every route of the daemon. */
import { actionRoutes } from "./action-routes.ts";
import { changesRoutes } from "./changes-routes.ts";
import { daemonRoutes } from "./daemon-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { labelRoutes } from "./label-routes.ts";
import { limitRoutes } from "./limit-routes.ts";
import { notifyRoutes } from "./notify-routes.ts";
import { peerRoutes } from "./peer-routes.ts";
import { reviewRoutes } from "./review-routes.ts";
import { queueRoutes } from "./queue-routes.ts";
import type { Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { settingsRoutes } from "./settings-routes.ts";
import { shareRoutes } from "./share-routes.ts";
import { startRoutes } from "./start-routes.ts";

type PartsOf<Routes extends (...args: never[]) => Route[]> = Parameters<Routes>[0];

export interface RouteParts {
  server: PartsOf<typeof daemonRoutes>;
  daemon: PartsOf<typeof sessionRoutes> &
    PartsOf<typeof startRoutes> &
    PartsOf<typeof labelRoutes> &
    PartsOf<typeof changesRoutes> &
    PartsOf<typeof actionRoutes> &
    PartsOf<typeof reviewRoutes> &
    PartsOf<typeof limitRoutes> &
    PartsOf<typeof notifyRoutes> &
    PartsOf<typeof queueRoutes> &
    PartsOf<typeof shareRoutes> &
    PartsOf<typeof settingsRoutes>;
  fleet: Parameters<typeof historyRoutes>[1];
  peers: PartsOf<typeof peerRoutes>;
}

export function allRoutes({ server, daemon, fleet, peers }: RouteParts): Route[] {
  return [
    ...daemonRoutes(server),
    ...sessionRoutes(daemon),
    ...startRoutes(daemon),
    ...labelRoutes(daemon),
    ...changesRoutes(daemon),
    ...actionRoutes(daemon),
    ...historyRoutes(daemon.files, fleet),
    ...peerRoutes(peers),
    ...limitRoutes(daemon),
    ...notifyRoutes(daemon),
    ...reviewRoutes(daemon),
    ...queueRoutes(daemon),
    ...shareRoutes(daemon),
    ...settingsRoutes(daemon),
  ];
}
