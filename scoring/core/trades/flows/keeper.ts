import type { ChainFacts, Trade, TransactionFacts, TransferFact } from './facts.ts'
import { zeroAddress, type Movements } from './movements.ts'

/** A wallet that got a token, and the amount. */
type Kept = Pick<Trade, 'wallet' | 'amount_bought'>

/** The inputs of the search. */
type Context = { tx: TransactionFacts; chain: ChainFacts; movements: Movements }

/**
 * The wallet that kept what was bought. The receiver that a router names is often a contract, such as the end of a
 * bridge, that passes most of it on. What it sent before it got that is not passed on, and neither is a payment to a
 * contract, to a pool or for the share of a vault.
 */
export function keeperOf(trade: Kept & { token_bought: string }, { tx, chain, movements }: Context): Kept {
  const rows = [...movements.tokens, ...movements.internals]
  const mine = rows.filter(({ token }) => token === trade.token_bought)
  const seen = new Set(['', zeroAddress, ...tx.swaps.map(({ pool }) => pool)])
  let { wallet, amount_bought } = trade
  const got = mine.filter((row) => row.recipient === wallet && isLogged(row) && row.amount * 2n > amount_bought)
  let receipt = got.find(({ amount }) => amount === amount_bought) ?? got[0]
  for (;;) {
    seen.add(wallet)
    const next = mine.find(
      (row) =>
        row.sender === wallet &&
        !seen.has(row.recipient) &&
        row.amount <= amount_bought &&
        row.amount * 2n > amount_bought &&
        isAfter(receipt, row) &&
        chain.isContract(row.recipient) !== true &&
        !rows.some((share) => isShareFor(row, share) && isAfter(receipt, share)),
    )
    if (next === undefined) return { wallet, amount_bought }
    receipt = next
    wallet = next.recipient
    amount_bought = next.amount
  }
}

const isLogged = ({ log_index }: TransferFact): boolean => log_index >= 0

/** Traces have no place among the logs, so that one may follow each log. After a receipt by a trace, only traces do. */
const isAfter = (receipt: TransferFact | undefined, row: TransferFact): boolean =>
  !isLogged(row) || (receipt !== undefined && isLogged(receipt) && row.log_index > receipt.log_index)

/** Whether a wallet got another token for what it sent, from its recipient or as a new one. */
const isShareFor = (sent: TransferFact, share: TransferFact): boolean =>
  share.recipient === sent.sender &&
  share.token !== sent.token &&
  ['', zeroAddress, sent.recipient].includes(share.sender)
