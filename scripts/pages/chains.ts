import type { Chain } from '#registry/chains/chain.ts'
import { chainFacts, chainLists } from '#registry/chains/facts.ts'
import { chains } from '#registry/chains/registry.ts'

import { generated, page, table } from './markdown.ts'

/** `docs/chains.md`: the registry of chains. */
export const chainsPage = (): string =>
  page(
    generated('`registry/chains/`'),
    '# Chains',
    intro,
    '## Reading chains',
    reading,
    '## Endpoints',
    endpoints,
    '## Answers',
    answers,
    '## Live balances',
    liveBalances,
    '## Daily balances',
    dailyBalances,
    '## Wrapped coins, dollars and explorers',
    publicLists(),
    '## Registry',
    `${chains.length} chains. *Final* is the number of blocks below the head after which a block counts as final, if the node names\nno final block.`,
    table(
      ['chain', 'id', 'name', 'coin', 'wrapped coin', 'dollars', 'block', 'final', 'endpoints', 'explorer'],
      chains.map(row),
    ),
  )

const intro = `Tapeline knows every EVM chain of [viem](https://viem.sh) with a public endpoint, and Solana. It reads the chains that you
name, and lists or tests their endpoints:

\`\`\`sh
TAPELINE_CHAINS=base,ethereum tapeline start
tapeline chains --probe --chain base
\`\`\`

A chain has a **slug**, such as \`ethereum\`: its name in the lake, in settings and in answers. Commands take the slug, the
chain id (\`8453\`) or the name of viem's export (\`mainnet\`), in any case. The error for an unknown chain names the three
nearest.

The registry has the chains of viem that are not testnets and have a public https endpoint, one for each chain id.
\`registry/chains/overrides.ts\` sets the facts that viem lacks, and decides between several
definitions of one id. The slug is viem's name in lower case with hyphens, without the word Mainnet, or the usual name.
Many listed chains are no longer alive: \`tapeline chains --probe\` asks their endpoints.`

const reading = `A chain is read if \`TAPELINE_CHAINS\` names it, or if \`RPC_<CHAIN>\` sets its endpoints. By default no chain is read. \`backfill\`,
\`follow\` and \`start\` read the same chains:

\`\`\`sh
TAPELINE_CHAINS=base,ethereum tapeline backfill evm_swaps --from 2026-11-20
\`\`\`

\`evm_swaps\` stores the [swaps](reference.md#datasets) with their transactions and transfers, in units of 1,000 blocks, or 100
on chains with many trades in each. A unit is closed when its last block is final. Until then each round of a follow reads
its new blocks. A follow that begins far behind reads the newest blocks first. If a reorganization replaced blocks, it rewrites
the unit whole, all datasets in one commit. A node that is
behind the stored blocks changes nothing. \`evm_tokens\` reads the tokens of the pools, and their symbols and decimals.
\`evm_addresses\` reads which traders and called addresses are contracts, who owns a Safe of one owner, and when a new
account sent its first transaction. The last needs an endpoint with the state of the last nine days: \`archive\` in the
report of \`tapeline chains --probe\`, or as many blocks as that. Without one, no wallet is a \`fresh_wallet\`.

\`evm_accounts\` reads the whole history of single addresses on the chains that are read, on request: see
[accounts by address](wallets/evm-trades.md#accounts-by-address). Its proof needs two endpoints.

\`evm_traces\` reads the calls of the transactions in which native coin may have moved that no log shows, where an endpoint
has \`debug_traceTransaction\` or \`trace_transaction\`. Their legs are exact then; without traces they are
[bounds](wallets/evm-trades.md#the-rule). Only final blocks are traced: first the accounts that were requested, then the
newest. A follow traces at most \`TAPELINE_TRACES\` transactions of a chain in a UTC day, 2,000 by default, since providers
charge much for a trace. \`tapeline backfill evm_traces\` has no such limit. A trace counts if it begins with the transaction,
and if the contract of the wrapped coin got and paid in it what its logs say. Where no endpoint has traces, nothing is read,
and the chain is asked again after ten minutes.

A chain in \`TAPELINE_WHOLE_CHAINS\` is read with all its transactions, not only those with a swap. Its lake then also has
airdrops, transfers between wallets and failed transactions, so that lots and gas are complete. It takes two calls for
each block and about ten times the bytes, so it suits an own node and small chains. Units that are closed stay as they are.

If a block that was final is replaced, the chain stops: \`status\` and the log name the block. Other chains continue.
\`tapeline backfill evm_swaps --refresh\`, from an instant before the block, reads the chain again.
[Decision 0013](decisions/0013-swaps-of-chains.md) has the reasons.`

const endpoints = `\`RPC_<CHAIN>\` sets the endpoints of a chain, in the order of preference, separated by commas:

\`\`\`sh
RPC_ETHEREUM=https://node.example/key,https://other.example tapeline chains --probe --chain ethereum
\`\`\`

The variable is the slug in upper case with underscores, such as \`RPC_ARBITRUM_NOVA\`. Its URLs replace those of the
registry. A variable that fits no chain is an error. A URL may hold a key: reports show only its host name.

Endpoints of one provider share a rate limit, since providers count by client. It is 30 requests in 10 seconds for an
endpoint of the registry and 250 for an endpoint that \`RPC_<CHAIN>\` sets. A node of this machine has no limit.

\`tapeline chains --probe\` prints a line for each endpoint:

- the chain id that it reports, if it is another one: the endpoint is not used then;
- the age of its newest block;
- the largest range of blocks of \`eth_getLogs\` that it accepts, up to 10,000;
- the calls of a batch that it accepts, up to 100;
- \`receipts\`: it has \`eth_getBlockReceipts\`; \`finalized\`: it names its final block;
- \`traces\`: it has the calls of its last transaction, by \`debug_traceTransaction\` or \`trace_transaction\`;
- \`archive\`: it has the state of block 1; otherwise the oldest state that it has, in blocks below the head.

An endpoint that does not answer is a result, not a failure. The exit code is 1 if no endpoint is alive.`

const answers = `Nodes behind one address lag at times, and answer with less than the truth. Each answer is checked:

- the endpoint reports the id of its chain;
- it has the header of the last block of a range, in one batch with the logs;
- each log is in the range, of the asked topics, with its own index, and of the same block hash as its header;
- each block of the range has its header, with the hash of the header before it as its parent;
- each log is in the bloom filter of its header.

An answer that fails a check is asked of the next endpoint.

An answer may also lack logs. So each block has a proof that all its wanted logs were read, and the proof of a unit names
those that it used:

- **Its bloom filter** shows that a block has no log of a wanted topic. It does not count logs, so it proves no block with a
  wanted log.
- **Its receipts** prove a block if each transaction has a receipt, no index of a log is missing, and all logs give the
  filter of the header. They do not show that the last log of a block is missing both in the receipts and in the range,
  if others have its address and topics. Only the root shows that.
- **The root of its receipts** shows that no log of the block is missing or changed. It is asked where the filter does not
  prove the receipts, and where the receipts have a log that the range lacked. It is a hash of all bytes, about 50 µs a
  receipt. Chains of the Cosmos SDK have none.
- **A second endpoint** has the same logs of the block. It does not show a log that both lack.

One endpoint alone proves blocks by filters and receipts. Nothing proves that a header is of the chain that others see:
endpoints that lie alike about headers and receipts are not found, and neither are two that lack the same log of a block
that only they prove. A single account has no such proof, since filters of all its blocks would have to be read. The count
of its transactions (\`eth_getTransactionCount\`) does not show tokens that others moved, and a balance shows neither a
token that was never seen nor a purchase and a sale that are both missing. So with one endpoint its history stays
_unverified_.

The rows of a block with receipts come from them, so that a log that the range lacked is not lost. A block with more than
16 transactions for each wanted one is first asked of a second endpoint, which takes one request for a range. A single
endpoint without \`eth_getBlockReceipts\` proves a block up to that limit by the receipt of each transaction. Some rollups
write no filters, or empty ones. An empty filter is a proof only beside filters that are not empty.

If nothing proves a block, its unit is _unverified_, with the code \`unproved\`. The coverage names the blocks in \`gaps\`,
and the unit is read again as the chain grows, or once it is a day old, from any endpoint. If no endpoint answers, the unit is _missing_ and
is read later.

Proofs take requests: a batch for 20 headers, and a batch for the receipts of 20 blocks or about 1,000 transactions. On
quiet chains the headers are most requests. On a local chain with 100 swaps in each block, a backfill takes 1.65 requests
for 1,000 swaps (\`npm run bench -- ingest\`).

Ranges of \`eth_getLogs\` fit the endpoint: halved when it refuses one, set by a limit that its error names, and grown
on success. A single block that is too large is read from its receipts. Batches have up to 20 calls. A refused batch is
sent in halves, and batches grow again after a rate limit. A number of calls that is too large for the endpoint is tried
again after 100 full batches. A dead endpoint is left out for 30 seconds after five failures, and for ten minutes after a
refused key, a used-up quota or another chain id.`

const liveBalances = `\`GET /v1/wallet\` reads the balances of a wallet from a node of its chain: the native coin, the coin's contract, the
dollars of the registry and up to 200 tokens that the wallet traded. They are read in one call of Multicall3 where the
chain has it, and otherwise in batches. A contract that fails, or wastes the gas of a call, is left out.

An answer waits two seconds for them. Equal reads at one moment are one read, and its balances are kept for 30 seconds.
A chain has at most 12 reads at a moment, and all chains have 48. After a chain did not answer, it gets no requests for ten
seconds. Without live balances the answer has the last known ones, and \`X-Coverage\` gives the reason.

The rate limits of these reads are apart from those of sources, since a backfill would delay the answers.

The chain of an address need not be a chain that is read, so an answer may ask a keyless node of the registry. The demo
asks only its own nodes.`

const counts = (has: (chain: Chain) => boolean): string => `${chains.filter(has).length} of ${chains.length}`

const publicLists =
  (): string => `A trade has a price if the registry has the dollars of its chain, and the wrapped coin for trades in the coin.
${counts(({ wrapped }) => wrapped !== null)} chains have a wrapped coin, ${counts(({ stables }) => stables.length > 0)} a dollar, and ${counts(({ explorer }) => explorer !== null)} an explorer. \`overrides.ts\` has
those that were checked by hand. The others, of ${chainFacts.size} chains, are in \`registry/chains/facts.ndjson\`, with the names
of the lists that agree. An override wins.

- The **wrapped coin** is the address that most lists name, two at least, and more than any other address. A list names
  it in its table of wrapped coins, or as a token whose symbol is W and the symbol of the coin; one table is needed. Its
  symbol must be W and the symbol of the native coin, so that the wrapped coin of another chain is refused. The
  predeployed coin of the OP stack needs one list: its address is part of the stack.
- A **dollar** is a token that two lists at least name with the symbol of a dollar. It is not the native coin. Its decimals
  are those that most lists name. Bridged dollars whose reserves were lost are left out
  (\`scripts/chains/unpegged.ts\`). The dollar of most lists is first: prices rest on it.
- The **explorer** is that of viem if another list has the same host, else the host that most lists name, two at least.

The lists are packages of npm, each of another publisher:

${table(
  ['list', 'package', 'version', 'licence'],
  chainLists.map(({ name, package: from, version, licence }) => [name, `\`${from}\``, version, licence]),
)}

\`npx tsx scripts/chain_facts.ts <folder>\` renders the table again from the packages in a folder.
Packages without a licence, or under the GPL, AGPL or BUSL, are not read. Lists that copy other lists are not either: two
copies would agree on one mistake.`

const dailyBalances = `\`evm_balances\` reads the balances of wallets once in a UTC day, on each chain that is read: of the wallets that
\`TAPELINE_EVM_WALLETS\` names, of at most 200 that moved the most dollars or coins in the swaps of the last 30 days and
traded in the last 7, and of 200 others of watchlists and alerts. Where more are followed, a reading takes those whose
balances on the chain were read the longest ago. A wallet without a reading comes first, the longest followed before
others, so that all are read in turn. The first reading of a day takes the followed wallets of that moment; that of
\`tapeline backfill\` has none of them. Of a wallet it reads the coin, the coin's contract, the dollars of the registry,
and the tokens that it moved, at most 200 in all. All balances of a reading are of one block, which is final and which
\`evm_swaps\` has read. Its node must have the state of that block. Where no endpoint has it, the day has no balances,
and \`status\` says so.

In the demo the readings of four chains are 1,733 balances and 44 requests (\`npm run demo -- --once --port 0\`). 100
balances are one request through Multicall3, and each 1,000 take two more. So 200 wallets with 20 tokens each cost about
50 requests a chain and day, and with the most tokens about 500. A chain without Multicall3 takes a call of a batch for
each balance.

\`core.balance_checks\` shows each balance beside the open lots of the wallet after the same block. The difference is
_untracked_: no movement of the lake brought it. It came in before the first block that was read, in a transaction without
a swap on a chain that is not read whole, or by a call without a log. \`core.explain_wallet\` has the same figures in the
part \`balance\`. \`GET /v1/wallet\` shows these balances where no node answers.`

const row = ({ slug, id, name, native, wrapped, stables, block_ms, finality, urls, explorer }: Chain): string[] => [
  `\`${slug}\``,
  id === null ? '' : String(id),
  name,
  native.symbol,
  wrapped === null ? '' : `\`${wrapped}\``,
  stables.length === 0 ? '' : String(stables.length),
  block_ms === null ? '' : `${block_ms} ms`,
  String(finality),
  String(urls.length),
  explorer === null ? '' : new URL(explorer).host,
]
