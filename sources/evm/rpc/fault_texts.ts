/**
 * The kinds of failed JSON-RPC calls.
 *
 * - `contract`: the called contract refused: it reverted, or used up the gas. Any node says the same.
 * - `range`: too many blocks or too large an answer; a smaller range may pass, of `limit` blocks if it is known.
 * - `filter`: too many addresses or topics. `batch`: too many calls in one request.
 * - `rate limit`, `quota`: the client asked too much; a quota lasts for hours.
 * - `history`: the endpoint has no state or logs of blocks that old. `lag`: it does not have the block yet.
 * - `tag`: it does not know the block tag. `method`: it does not serve the method.
 * - `unauthorised`, `timeout`, `down`: it does not serve this client, or nobody.
 * - `wrong chain`, `check`: its answer is that of another chain, or contradicts itself.
 * - `other`: an unknown error.
 */
export type FaultKind =
  | 'contract'
  | 'range'
  | 'filter'
  | 'batch'
  | 'rate limit'
  | 'quota'
  | 'history'
  | 'lag'
  | 'tag'
  | 'method'
  | 'unauthorised'
  | 'timeout'
  | 'down'
  | 'wrong chain'
  | 'check'
  | 'other'

/** The texts of an error that name its kind. `limit` gives the accepted blocks from the groups of the pattern. */
type FaultText = { kind: FaultKind; pattern: RegExp; limit?: (...groups: string[]) => number }

/** `2,000`, `10k` or `3000`. */
const blocksOf = (text = ''): number => {
  const digits = Number(text.replaceAll(/[,.k]/gi, ''))
  return /k$/i.test(text) ? digits * 1_000 : digits
}
const upTo = (text?: string): number => blocksOf(text)
/** A limit on the difference between the last and the first block excludes its own value at some providers. */
const below = (text?: string): number => blocksOf(text) - 1
/** Both ends of a suggested range are part of it. */
const between = (from?: string, to?: string): number => Number(to) - Number(from) + 1

const number = String.raw`([\d][\d,.]*k?)`
const range = (pattern: string, limit?: FaultText['limit']): FaultText => ({
  kind: 'range',
  pattern: new RegExp(pattern.replaceAll('N', number), 'i'),
  ...(limit === undefined ? {} : { limit }),
})
const fault = (kind: FaultKind, pattern: RegExp): FaultText => ({ kind, pattern })

/**
 * The error texts of providers, in the order in which they are tried. Sources: the error tables of Ponder, HyperIndex,
 * rindexer and eRPC, which were collected from live endpoints.
 */
export const faultTexts: readonly FaultText[] = [
  // The reason of a revert is a text of the contract, which may read like any of those below.
  fault(
    'contract',
    /revert|\bgas\b|outofgas|invalid (?:opcode|jump|instruction)|bad (?:instruction|jump)|stack (?:under|over|limit)|execution (?:error|failed|halted)/i,
  ),
  // Solana: a node behind, one without old blocks, and a slot that its own list of blocks contradicts.
  fault(
    'lag',
    /block not available for slot|block status not yet available|minimum context slot|node is (?:behind|unhealthy)/i,
  ),
  fault('history', /cleaned up, does not exist on node|transaction history is not available/i),
  fault('check', /was skipped, or missing/i),
  // Suggested ranges: Alchemy; Infura, zkSync, Tenderly.
  range(String.raw`this block range should work: \[(0x[\da-f]+),\s*(0x[\da-f]+)\]`, between),
  range(String.raw`try with this block range \[(0x[\da-f]+),\s*(0x[\da-f]+)\]`, between),
  // Named limits: Avalanche, Cloudflare, thirdweb, Coinbase, Tron.
  range('requested too many blocks from \\d+ to \\d+, maximum is set to N', below),
  range('max range: N', below),
  range('maximum allowed number of requested blocks is N', upTo),
  range('limit the query to at most N blocks', below),
  range('exceed max block range: N', below),
  // Alchemy without a key and Aurora; Ankr and Moonriver; QuickNode, 1RPC, Blast, BlockPI.
  range('up to a N block range', upTo),
  range('block range is too wide \\(maximum N\\)', upTo),
  range('limited to (?:a )?N(?![\\d,.k]| ?(?:req|calls|compute))', upTo),
  // Blast; PublicNode; Hyperliquid; Swell; Somnia; Sei; Merkle; Harmony; TAC.
  range('exceeds the range allowed for your plan \\(\\d+ > N\\)', upTo),
  range('maximum block range: N', upTo),
  range('query exceeds max block range N', upTo),
  range('block range greater than N max', upTo),
  range('block range exceeds N', upTo),
  range('maximum allowed is N blocks', upTo),
  range('range is too large, max is N blocks', upTo),
  range('query must be smaller than size N', upTo),
  range('maximum \\[from, to\\] blocks distance: N', upTo),
  // Chainstack; Ankr.
  range('block range limit exceeded', () => 100),
  range('block range is too wide', () => 3_000),
  // dRPC names a limit that its free tier does not serve either, so it is no suggestion.
  range('ranges over N blocks are not supported on freetier'),
  // Filters, before texts about limits: Alchemy, dRPC, Infura.
  fault('filter', /specify less number of address|addresses or topics per search position|filters.*current limit is/i),
  // Batches: BNB, dRPC, PublicNode, geth.
  fault(
    'batch',
    /calls in 1 batch|batch of more than|batch (?:size|limit|request|too)|batch.*(?:too large|not (?:allowed|supported))/i,
  ),
  // Halved: many providers.
  fault(
    'range',
    /block range (?:is )?too large|allowed block range threshold exceeded|exceeded max allowed|range threshold exceeded|no backend is currently healthy to serve traffic|backend response too large|log response size exceeded|exceeds the range/i,
  ),
  fault(
    'range',
    /query exceeds (?:max results|limit)|logs matched by query exceeds limit|query returned more than|more than [\d,]+ (?:logs|results)|response size (?:should not|is too|exceed)|is too big|too many results|try paginating|limit the query to/i,
  ),
  // The endpoint does not have blocks that old.
  fault(
    'history',
    /missing trie node|height is not available|historical state.*(?:not available|is pruned)|state (?:is )?(?:not available|unavailable)|no state available|archive(?:,| (?:node|request|data|access|tier|state))|pruned|due to pruning|state (?:already )?discarded|distance to target block exceeds/i,
  ),
  fault(
    'tag',
    /(?:pending|safe|finalized) block not found|finalized is not a supported|malformed blocknumber|not a supported commitment|unknown block tag|invalid block tag/i,
  ),
  fault(
    'lag',
    /cannot query unfinalized data|after last accepted block|invalid block height|header not found|block not found|unknown block|block is out of range|beyond current head|block range extends beyond/i,
  ),
  fault(
    'method',
    /method (?:is )?(?:not (?:found|supported|whitelisted|available|allowed|implemented)|does not exist|unsupported)|not whitelisted|unsupported method|the method \S+ does not exist/i,
  ),
  fault(
    'quota',
    /monthly capacity limit|reached the free tier|payment required|quota|out of (?:credits|compute units)|daily (?:request )?(?:limit|count)/i,
  ),
  fault(
    'rate limit',
    /rate.?limit|too many requests|has exceeded|request limit reached|under too much load|limit exceeded|throughput|capacity exceeded/i,
  ),
  fault(
    'unauthorised',
    /unauthori[sz]ed|forbidden|invalid api.?key|api.?key (?:is )?(?:required|missing)|access denied|project id/i,
  ),
  fault('timeout', /time(?:d)? ?out|deadline exceeded|execution aborted|context canceled/i),
]
