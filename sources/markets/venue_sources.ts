import type { Source } from '#ingest/source.ts'

import type { Probe } from './probe.ts'

/** What a folder of a venue has: its sources, and the probes of what only its documentation states. */
export type VenueSources = { venue: string; sources: readonly Source[]; probes: readonly Probe[] }
