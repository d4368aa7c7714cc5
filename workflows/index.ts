/** All workflows, by the names that they are started with. */
export { backfill } from './backfill.ts'
export { follow } from './follow.ts'
export { ingestRequested } from './ingest_requested.ts'
export { maintain } from './maintain.ts'
export { publish } from './publish.ts'
export { score } from './score.ts'
