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
  'test/bin/wiring/stopped.test.ts',
  'test/bin/backup/',
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
  'test/sources/evm/swaps/evm_swaps.test.ts',
  'test/sources/evm/swaps/lying_nodes.test.ts',
  'test/sources/evm/swaps/lying_planted.test.ts',
  'test/sources/evm/swaps/lying_lake.test.ts',
  'test/sources/evm/balances/evm_balances.test.ts',
  'test/sources/evm/addresses/evm_addresses.test.ts',
  'test/sources/evm/accounts/',
  'test/sources/solana/solana_blocks.test.ts',
  'test/sources/solana/solana_accounts.test.ts',
  'test/scoring/core/lots/lots.mutations.test.ts',
  'test/scoring/metrics/attention/metamorphic.property.test.ts',
  'test/lake/repair/repair.test.ts',
  'test/lake/units/spilled_rows.test.ts',
  'test/api/http/shared_home.test.ts',
  'test/api/live/anvil.test.ts',
  'test/sim/evm/',
  'test/scoring/explain/',
  'test/scoring/memory.test.ts',
  'test/examples/',
  'test/bin/command_line/completion.test.ts',
  'test/bin/demo/chain_plans.test.ts',
  'test/bin/demo/demo_chains.test.ts',
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
  'test/oracle/skill/skill.test.ts',
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
  'test/house/walks.test.ts',
  'test/storage/scratch.test.ts',
  'test/snapshots/hanging.test.ts',
  'test/accounts/',
  'test/api/messaging/',
  'test/sim/telegram/',
]

/**
 * The proofs of `npm test`: a short run of each kind. The longest come first here too. `.ci/run` runs all proofs in
 * full.
 */
export const daily: readonly string[] = [
  // The API's figures are those of the true ledger.
  'test/pipeline/truth.test.ts',
  'test/pipeline/chains/results.test.ts',
  'test/sources/markets/polymarket/simulated/simulated.test.ts',
  // Kills, reorganizations, drifts and limits change nothing.
  'test/pipeline/kill.test.ts',
  'test/pipeline/drift/venues.test.ts',
  'test/pipeline/shared_rate/shared_rate.test.ts',
  'test/ingest/planted/requests/settings.test.ts',
  'test/ingest/planted/requests/unit_log.test.ts',
  'test/sources/evm/anvil.test.ts',
  'test/sources/evm/swaps/lying_nodes.test.ts',
  'test/sources/evm/swaps/lying_planted.test.ts',
  'test/sources/evm/swaps/anvil_reorgs.test.ts',
  'test/sources/evm/addresses/read_first_transactions.test.ts',
  'test/sources/evm/tokens/find_pool_keys_anvil.test.ts',
  'test/lake/compaction/compact.property.test.ts',
  'test/lake/catalog/connections.test.ts',
  // The planted is found: skill, signals, what posts name.
  'test/skill/faults.test.ts',
  'test/pipeline/signals/poisson.test.ts',
  'test/pipeline/social/mentions.test.ts',
  'test/pipeline/social/gaps.test.ts',
  // Commands, as processes.
  'test/bin/commands/backfill.test.ts',
  'test/bin/commands/key.test.ts',
  'test/bin/commands/account.test.ts',
  'test/bin/commands/chains.test.ts',
  'test/bin/commands/lake/json.test.ts',
  'test/bin/commands/lake/undo.test.ts',
  'test/bin/command_line/completion.test.ts',
  'test/builder/run_fold.test.ts',
  'test/storage/scratch.test.ts',
  'test/snapshots/hanging.test.ts',
  'test/scoring/explain/explain_asset.test.ts',
  'test/scoring/explain/explain_chains.test.ts',
  // The service, its accounts, messages and pages.
  'test/accounts/alerts/',
  'test/accounts/messaging/',
  'test/accounts/store.test.ts',
  'test/accounts/keys.test.ts',
  'test/accounts/nodes.test.ts',
  'test/accounts/requested.test.ts',
  'test/accounts/request_buffer.test.ts',
  'test/accounts/shared_windows.test.ts',
  'test/accounts/tiers.test.ts',
  'test/accounts/versions.test.ts',
  'test/accounts/idempotency.test.ts',
  'test/accounts/watchlists/watchlists.test.ts',
  'test/api/attack/strangers_marts.test.ts',
  'test/api/http/swap.test.ts',
  'test/api/live/anvil.test.ts',
  'test/api/messaging/deliver.test.ts',
  'test/api/messaging/linking.test.ts',
  'test/api/messaging/messenger.test.ts',
  'test/api/messaging/pause_after.test.ts',
  'test/sim/telegram/',
  'test/web/journey.test.ts',
  // Temporal.
  'test/temporal/queue.test.ts',
  'test/temporal/replay.test.ts',
  'test/temporal/bundle.test.ts',
  'test/temporal/find.test.ts',
  // Recorded answers of the upstreams.
  'test/recordings/replay.test.ts',
  'test/recordings/parse.test.ts',
  'test/recordings/limitless.test.ts',
  'test/recordings/onchain/decode.test.ts',
  'test/recordings/onchain/lots.test.ts',
  'test/recordings/onchain/solana.test.ts',
  'test/recordings/onchain/trades.test.ts',
  'test/recordings/onchain/wallets.test.ts',
  'test/recordings/social/jetstream.test.ts',
  'test/recordings/social/keyed.test.ts',
  // The house.
  'test/house/imports.test.ts',
  'test/house/literals.test.ts',
  'test/house/structure.test.ts',
  'test/house/walks.test.ts',
]

/** `npm test` runs some of the proofs; a size in `PROOF`, or the name of a part, all. */
export const isDaily = process.env['PROOF'] === undefined && !process.argv.some((word) => word.startsWith('test/'))

/** The patterns of the files of a list. */
const patternsOf = (list: readonly string[]): string[] =>
  list.map((path) => (path.endsWith('/') ? `${path}**/*.test.ts` : path))

/** The position of a test in the list, by its path from the root of the repository; -1 for a unit test. */
export const placeOf = (path: string): number =>
  proofs.findIndex((proof) => (proof.endsWith('/') ? path.startsWith(proof) : path === proof))

/** The files of all proofs, and those of the proofs that run. */
export const proofFiles: string[] = patternsOf(proofs)
export const runFiles: string[] = patternsOf(isDaily ? daily : proofs)

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
