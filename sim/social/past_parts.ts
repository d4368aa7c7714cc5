import { networkPast } from './bluesky_wire/past.ts'
import { outletPasts } from './feed_wire/past.ts'
import type { PastPart } from './past_part.ts'

/** The parts whose past a demo has: their upstreams show hours, and mindshare rests on weeks. */
export const pastParts: readonly PastPart[] = [networkPast, ...outletPasts]
