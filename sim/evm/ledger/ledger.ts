import type { Hex } from 'viem'
import { decodeAbiParameters, encodeEventTopics } from 'viem/utils'

import { pushTo, setIn, type History } from '#sim/evm/chain/block_changes.ts'
import type { Pools } from '#sim/evm/chain/pools.ts'
import { feeOf, type Intent, type Mined, type Receipt } from '#sim/evm/chain/transaction.ts'
import { accounts as accountsAbi, token as tokenAbi, wrappedCoin } from '#sim/evm/contracts/abi.ts'
import type { PoolSwap, TrueTrade, TrueTransfer } from '#sim/evm/types.ts'

/** The true ledger of the wallets of a world. */
export type EvmLedger = {
  trades: TrueTrade[]
  transfers: TrueTransfer[]
  poolSwaps: PoolSwap[]
  /** Gas of transactions without a trade, in raw units of the native coin. */
  otherGas: { wallet: string; block: number; tx: string; ts_s: number; gas_fee: bigint }[]
  /** Raw units by wallet and token; `native` is the coin itself. */
  holdings: Map<string, bigint>
}

export const holdingKey = (wallet: string, token: string): string => `${wallet} ${token}`

type Movement = { log_index: number; token: Hex; from: Hex; to: Hex; amount: bigint }

const transferTopic = encodeEventTopics({ abi: tokenAbi, eventName: 'Transfer' })[0]
const depositTopic = encodeEventTopics({ abi: wrappedCoin, eventName: 'Deposit' })[0]
const operationTopic = encodeEventTopics({ abi: accountsAbi, eventName: 'UserOperationEvent' })[0]

/** Books blocks: trades as the plan meant them, in amounts that the receipts and the balances after the block state. */
export type Bookkeeper = {
  ledger: EvmLedger
  /** Notes the native coin that a wallet has before the first block that is booked. */
  open: (wallet: Hex, balance: bigint) => void
  book: (mined: Mined) => void
}

export function createBookkeeper(
  history: History,
  { wallets, pools }: { wallets: ReadonlySet<string>; pools: Pools },
): Bookkeeper {
  const ledger: EvmLedger = { trades: [], transfers: [], poolSwaps: [], otherGas: [], holdings: new Map() }
  const { holdings } = ledger

  const move = (block: number, wallet: string, token: string, amount: bigint): void => {
    if (!wallets.has(wallet)) return
    const key = holdingKey(wallet, token)
    setIn(history, block, holdings, key, (holdings.get(key) ?? 0n) + amount)
  }

  const book = ({ block, ts_s, transactions, balances }: Mined): void => {
    const nativeOut = nativeBought(transactions, holdings, balances)
    for (const { draft, receipt } of transactions) {
      const tx = { block, ts_s, tx: receipt.transactionHash, tx_index: Number(receipt.transactionIndex) }
      const movements = movementsOf(receipt)
      for (const { token, from, to, amount } of movements) {
        move(block, from, token, -amount)
        move(block, to, token, amount)
      }
      for (const log of receipt.logs) {
        const swap = pools.read(block, { ...log, address: log.address.toLowerCase() as Hex })
        if (swap !== undefined)
          pushTo(history, block, ledger.poolSwaps, { block, ts_s, tx: tx.tx, sender: draft.from, ...swap })
      }
      const fee = feeOf(receipt)
      const trades = receipt.status === '0x1' ? draft.trades : []
      if (!trades.some(({ wallet }) => wallet === draft.from) && wallets.has(draft.from))
        pushTo(history, block, ledger.otherGas, { wallet: draft.from, block, tx: tx.tx, ts_s, gas_fee: fee })
      for (const intent of trades) {
        const amount_bought = boughtOf(intent, movements, nativeOut, receipt)
        const gas_fee = intent.wallet === draft.from ? fee : operationFee(receipt, intent.wallet)
        pushTo(history, block, ledger.trades, tradeOf(tx, intent, amount_bought, gas_fee))
      }
      bookTransfers(tx, trades, movements)
    }
    for (const [wallet, balance] of balances) setIn(history, block, holdings, holdingKey(wallet, 'native'), balance)
  }

  /** Movements of known wallets that are no leg of their own trade. */
  const bookTransfers = (
    at: { block: number; ts_s: number; tx: string; tx_index: number },
    trades: readonly Intent[],
    movements: readonly Movement[],
  ): void => {
    for (const { log_index, token, from, to, amount } of movements) {
      const sides = [
        { wallet: from, direction: 'out', counterparty: to },
        { wallet: to, direction: 'in', counterparty: from },
      ] as const
      for (const side of sides) {
        const isLeg = trades.some(
          ({ wallet, sold, bought }) => wallet === side.wallet && (sold === token || bought === token),
        )
        if (wallets.has(side.wallet) && !isLeg)
          pushTo(history, at.block, ledger.transfers, { ...at, log_index, token, amount, ...side })
      }
    }
  }

  return { ledger, open: (wallet, balance) => void holdings.set(holdingKey(wallet, 'native'), balance), book }
}

const zero: Hex = '0x0000000000000000000000000000000000000000'

/** The transfers of tokens in a receipt, those of the wrapped coin among them. */
function movementsOf({ logs }: Receipt): Movement[] {
  return logs.flatMap(({ address, topics, data, logIndex }) => {
    const [topic, first = '0x', second = '0x'] = topics
    const isTransfer = topic === transferTopic && topics.length === 3
    if (!isTransfer && topic !== depositTopic) return []
    const [amount] = decodeAbiParameters([{ type: 'uint256' }], data)
    const wallet = (padded: Hex): Hex => `0x${padded.slice(26)}`
    // The wrapped coin has no transfer for a deposit.
    const [from, to] = isTransfer ? [wallet(first), wallet(second)] : [zero, wallet(first)]
    return [{ log_index: Number(logIndex), token: address.toLowerCase() as Hex, from, to, amount }]
  })
}

/**
 * The native coin that each wallet got in a block from a swap: the rise of its balance, without the amounts that it
 * sent and paid as gas. No log shows it. A wallet has at most one such swap in a block.
 */
function nativeBought(
  transactions: Mined['transactions'],
  holdings: ReadonlyMap<string, bigint>,
  balances: Mined['balances'],
): Map<string, bigint> {
  const expected = new Map(
    [...balances.keys()].map((wallet) => [wallet, holdings.get(holdingKey(wallet, 'native')) ?? 0n]),
  )
  const add = (wallet: Hex, amount: bigint): unknown => expected.set(wallet, (expected.get(wallet) ?? 0n) + amount)
  for (const { draft, receipt } of transactions) {
    add(draft.from, -feeOf(receipt) - (receipt.status === '0x1' ? draft.value : 0n))
  }
  const gained = new Map<string, bigint>()
  for (const [wallet, balance] of balances) {
    const rest = balance - (expected.get(wallet) ?? 0n)
    const n_sales = transactions
      .flatMap(({ draft }) => draft.trades)
      .filter((trade) => trade.wallet === wallet && trade.bought === 'native')
    if (n_sales.length > 1)
      throw new Error(`${wallet}: ${n_sales.length} sales for the native coin in a block; expected one`)
    gained.set(wallet, rest)
  }
  return gained
}

function boughtOf(
  intent: Intent,
  movements: readonly Movement[],
  nativeOut: ReadonlyMap<string, bigint>,
  { transactionHash }: Receipt,
): bigint {
  const { wallet, sold, bought, amount_sold } = intent
  const net = (token: string): bigint =>
    movements.reduce((sum, row) => {
      if (row.token !== token) return sum
      return sum + (row.to === wallet ? row.amount : 0n) - (row.from === wallet ? row.amount : 0n)
    }, 0n)
  if (sold === bought) return amount_sold + net(sold)
  if (sold !== 'native' && net(sold) !== -amount_sold)
    throw new Error(`${transactionHash}: ${-net(sold)} of ${sold} sold; expected ${amount_sold}`)
  const amount = bought === 'native' ? (nativeOut.get(wallet) ?? 0n) : net(bought)
  if (amount <= 0n) throw new Error(`${transactionHash}: ${amount} of ${bought} bought; expected more than 0`)
  return amount
}

/** The fee that the entry point charged the account for its operation. */
function operationFee({ logs }: Receipt, wallet: string): bigint {
  const log = logs.find(({ topics }) => topics[0] === operationTopic && topics[2]?.slice(26) === wallet.slice(2))
  if (log === undefined) return 0n
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const
  return decodeAbiParameters(types, log.data)[2]
}

const tradeOf = (
  at: { block: number; ts_s: number; tx: string; tx_index: number },
  { wallet, sold, amount_sold, bought }: Intent,
  amount_bought: bigint,
  gas_fee: bigint,
): TrueTrade => ({
  wallet,
  ...at,
  kind: sold === bought ? 'arbitrage' : 'swap',
  token_sold: sold,
  amount_sold,
  token_bought: bought,
  amount_bought,
  gas_fee,
})
