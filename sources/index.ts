import type { Source } from '#ingest/source.ts'

import { evmAccounts } from './evm/evm_accounts.ts'
import { evmAddresses } from './evm/evm_addresses.ts'
import { evmBalances } from './evm/evm_balances.ts'
import { evmSwaps } from './evm/evm_swaps.ts'
import { evmTokens } from './evm/evm_tokens.ts'
import { evmTraces } from './evm/evm_traces.ts'
import { venueSources } from './markets/index.ts'
import { socialSources } from './social/index.ts'
import { solanaAccounts } from './solana/solana_accounts.ts'
import { solanaBlocks } from './solana/solana_blocks.ts'
import { solanaTokens } from './solana/solana_tokens.ts'

/**
 * All sources. Each source plans from the stored rows of earlier sources. A new source is a file and a line here, or in
 * the list of its venue or of the platforms: settings, hosts, docs and follows derive from its declaration.
 */
export const sources: readonly Source[] = [
  ...venueSources.flatMap(({ sources: ofVenue }) => ofVenue),
  evmSwaps,
  evmAccounts,
  evmTokens,
  evmTraces,
  evmAddresses,
  evmBalances,
  solanaBlocks,
  solanaAccounts,
  solanaTokens,
  ...socialSources,
]
