/**
 * The tests that spawn processes, listen, wait or take seconds. They form the project `proof`, where each file has its
 * own process. All other tests form the project `unit`, whose files share processes. A path that ends with a slash is a
 * folder.
 *
 * The list is also the start order: the longest come first, so that both cores are busy until the end.
 */
export const proofs: readonly string[] = [
  'test/temporal/planted.test.ts',
  'test/pipeline/live.test.ts',
  'test/skill/',
  'test/api/attack/schemathesis.test.ts',
  'test/temporal/kill.test.ts',
  'test/temporal/same.test.ts',
  'test/temporal/control.test.ts',
  'test/pipeline/faults.test.ts',
  'test/bin/commands/',
  'test/planted/',
  'test/bin/wiring/supervise.test.ts',
  'test/pipeline/',
  'test/sources/markets/polymarket/simulated/',
  'test/sources/markets/kalshi/simulated/',
  'test/sources/markets/limitless/simulated/',
  'test/ingest/planted/',
  'test/sources/evm/anvil.test.ts',
  'test/sources/evm/addresses/read_first_transactions.test.ts',
  'test/sources/evm/tokens/find_pool_keys_anvil.test.ts',
  'test/sources/evm/swaps/anvil_reorgs.test.ts',
  'test/sources/evm/swaps/reorgs.test.ts',
  'test/api/live/anvil.test.ts',
  'test/sim/evm/',
  'test/scoring/explain/',
  'test/scoring/memory.test.ts',
  'test/examples/',
  'test/bin/command_line/completion.test.ts',
  'test/bin/demo/chain_plans.test.ts',
  'test/bin/demo/chains.test.ts',
  'test/bin/demo/first_cycle.test.ts',
  'test/bin/demo/demo_alerts.test.ts',
  'test/builder/analysts/copy.test.ts',
  'test/builder/publish.test.ts',
  'test/builder/run_fold.test.ts',
  'test/temporal/',
  'test/recordings/',
  'test/lake/compaction/compact.property.test.ts',
  'test/lake/catalog/connections.test.ts',
  'test/lake/catalog/forks.test.ts',
  'test/lake/catalog/postgres_catalog.test.ts',
  'test/lake/ducklake.test.ts',
  'test/oracle/blind/blind.test.ts',
  'test/oracle/blind_traders/traders.test.ts',
  'test/oracle/clv/clv.mutations.test.ts',
  'test/oracle/clv/clv.test.ts',
  'test/web/',
  'test/api/attack/',
  'test/api/contract/clients.test.ts',
  'test/api/endpoints/feed_poller.test.ts',
  'test/api/http/swap.test.ts',
  'test/house/benches.test.ts',
  'test/house/imports.test.ts',
  'test/house/literals.test.ts',
  'test/house/structure.test.ts',
  'test/storage/scratch.test.ts',
  'test/snapshots/hanging.test.ts',
  'test/accounts/',
  'test/api/messaging/',
  'test/sim/telegram/',
]

/**
 * The proofs that `npm test` leaves to `.ci/run`, since even their short forms take 10 to 40 CPU seconds. `PROOF=short`
 * and `PROOF=full` run all proofs.
 */
const longProofs: readonly string[] = [
  'test/bin/demo/first_cycle.test.ts',
  'test/sources/markets/polymarket/simulated/following.test.ts',
  'test/bin/commands/disk_full.test.ts',
  'test/house/benches.test.ts',
  'test/lake/catalog/forks.test.ts',
  'test/lake/ducklake.test.ts',
  'test/pipeline/large/large_account.test.ts',
  'test/pipeline/large/large_archive.test.ts',
  'test/pipeline/large/large_gamma.test.ts',
  'test/planted/planted.test.ts',
  'test/scoring/memory.test.ts',
  'test/skill/validate.test.ts',
  'test/temporal/control.test.ts',
  'test/temporal/heartbeat.test.ts',
  'test/temporal/history.test.ts',
  'test/temporal/kill.test.ts',
  'test/temporal/planted.test.ts',
  'test/temporal/planted_follow.test.ts',
  'test/temporal/tls.test.ts',
  'test/temporal/workers.test.ts',
]

/** The proofs that do not run, as patterns. */
export const leftOut: readonly string[] = process.env['PROOF'] === undefined ? longProofs : []

/** The position of a test in the list, by its path from the root of the repository; -1 for a unit test. */
export const placeOf = (path: string): number =>
  proofs.findIndex((proof) => (proof.endsWith('/') ? path.startsWith(proof) : path === proof))

/** The files of the list, as patterns. */
export const proofFiles: string[] = proofs.map((proof) => (proof.endsWith('/') ? `${proof}**/*.test.ts` : proof))

/** The variable that names the store of accounts in a project: `postgres`, or none for SQLite. */
export const storeOfProject = 'TEST_STORE'

/** The variable with the URL of the PostgreSQL server of a run. */
export const serverUrl = 'TEST_POSTGRES_URL'

/** The test that only the project `postgres` runs. Where the server is missing, it is the only one, and is skipped. */
export const ofPostgres = 'test/api/http/two_nodes.test.ts'

/** The tests of accounts over HTTP, which run again in the project `postgres`, on one server. */
export const onPostgres: readonly string[] = [
  'test/api/portal/*.test.ts',
  'test/api/contract/{isolation,strangers,write}.test.ts',
  'test/api/endpoints/watchlists.test.ts',
  'test/api/alerts/watch.test.ts',
  'test/api/messaging/linking.test.ts',
]
