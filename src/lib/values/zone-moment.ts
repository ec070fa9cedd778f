/** Moments by the clocks of a zone that is named on a screen or in a file. */
import { isTimeZone, TimeZone } from "./time-zone.ts";

const LOCAL_ZONE = new TimeZone();

/** By name, since building one takes milliseconds and attention is asked for often. Undefined for no zone. */
const zones = new Map<string, TimeZone | undefined>();

/** The names come from elsewhere. */
const MAX_ZONES = 50;

/** The moment when the clocks of the zone show a time that is given as UTC; the zone is the local one by default. */
export function momentAt(wall: number, zone: string | undefined): number | undefined {
  if (zone === undefined) return LOCAL_ZONE.momentAt(wall);
  if (!zones.has(zone)) {
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(zone, isTimeZone(zone) ? new TimeZone(zone) : undefined);
  }
  return zones.get(zone)?.momentAt(wall);
}
