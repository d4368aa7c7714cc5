/** All workflows, by the names that they are started with. */
export { backfill } from './backfill.ts'
export { follow } from './follow.ts'
export { ingestRequested } from './ingest_requested.ts'
export { publish, score } from './score.ts'
export { maintain } from './maintain.ts'
