import { keccak256 } from 'viem/utils'

import { blockHash, dollarOf, gas, tradesOf, type SimulatedChain, type SimulatedTrade } from './simulated_chain.ts'

type Bytes = `0x${string}`

/** The first topics of the logs: ERC-20's transfer, and the swaps of Uniswap V2 and V3. */
const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  v2: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  v3: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
} as const
/** The contract that wallets call, and that calls the pools. */
export const router = '0x00000000000000000000000000000000005107e1'

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const padded = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

type Emitted = { address: string; topics: string[]; data: string }

/** The logs of a trade: the token paid into the pool, the token paid out, and the swap. */
function logsOf({ wallet, pool, family, ...trade }: SimulatedTrade): Emitted[] {
  const { token_sold, token_bought, amount_sold, amount_bought } = trade
  const transfer = (address: string, from: string, to: string, amount: bigint): Emitted => ({
    address,
    topics: [topics.transfer, padded(from), padded(to)],
    data: `0x${word(amount)}`,
  })
  const isFirstSold = token_sold < token_bought
  const [in0, in1] = isFirstSold ? [amount_sold, 0n] : [0n, amount_sold]
  const [out0, out1] = isFirstSold ? [0n, amount_bought] : [amount_bought, 0n]
  const words = family === 'v2' ? [in0, in1, out0, out1] : [in0 - out0, in1 - out1, 1n << 96n, 10n ** 18n, 0n]
  return [
    transfer(token_sold, wallet, pool, amount_sold),
    transfer(token_bought, pool, wallet, amount_bought),
    { address: pool, topics: [topics[family], padded(router), padded(wallet)], data: `0x${words.map(word).join('')}` },
  ]
}

/** The logs of a block as a node writes them. */
export function wireLogs(chain: SimulatedChain, block: number) {
  const placed = tradesOf(chain, block).flatMap((trade) => logsOf(trade).map((log) => ({ trade, log })))
  return placed.map(({ trade, log }, log_index) => ({
    ...log,
    blockNumber: hex(block),
    blockHash: blockHash(chain, block),
    transactionHash: trade.tx,
    transactionIndex: hex(trade.tx_index),
    logIndex: hex(log_index),
    removed: false,
  }))
}

export const wireTransactions = (chain: SimulatedChain, block: number) =>
  tradesOf(chain, block).map(({ tx, tx_index, wallet }) => ({
    hash: tx,
    blockHash: blockHash(chain, block),
    blockNumber: hex(block),
    transactionIndex: hex(tx_index),
    from: wallet,
    to: router,
    value: '0x0',
    nonce: hex(block),
    gasPrice: hex(gas.price),
  }))

export function wireReceipts(chain: SimulatedChain, block: number) {
  const logs = wireLogs(chain, block)
  return wireTransactions(chain, block).map(({ hash, from, to, ...place }) => ({
    transactionHash: hash,
    transactionIndex: place.transactionIndex,
    blockHash: place.blockHash,
    blockNumber: place.blockNumber,
    from,
    to,
    status: '0x1',
    gasUsed: hex(gas.used),
    effectiveGasPrice: hex(gas.price),
    logs: logs.filter(({ transactionHash }) => transactionHash === hash),
  }))
}

/** A block, with its transactions or their hashes. */
export function wireBlock(chain: SimulatedChain, block: number, isFull: boolean) {
  const transactions = wireTransactions(chain, block)
  return {
    number: hex(block),
    hash: blockHash(chain, block),
    parentHash: block === 0 ? `0x${'0'.repeat(64)}` : blockHash(chain, block - 1),
    timestamp: hex(chain.start_s + chain.block_s * block),
    miner: dollarOf(chain),
    gasUsed: hex(gas.used * BigInt(transactions.length)),
    logsBloom: bloom(wireLogs(chain, block)),
    transactions: isFull ? transactions : transactions.map(({ hash }) => hash),
  }
}

/** The filter of a block's logs: three bits of 2,048 for each address and topic, by the yellow paper. */
function bloom(logs: readonly Emitted[]): string {
  let bits = 0n
  for (const text of new Set(logs.flatMap((log) => [log.address, ...log.topics]))) {
    const hash = keccak256(text as Bytes)
    for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) % 2_048)
  }
  return `0x${bits.toString(16).padStart(512, '0')}`
}
