import type { TransactionFacts, TransferFact } from './facts.ts'
import { isIn, zeroAddress, type Movements, type Span } from './movements.ts'

/** An address that got assets and gave other ones, net of all its movements. */
export type Exchanger = { address: string; received: AssetAmount[]; paid: AssetAmount[] }
export type AssetAmount = { token: string; amount: bigint }

/**
 * The addresses that exchanged, such as pools and makers. Routers pass on what they get, so they have no net movement;
 * takers of fees only get, and distributors only give. A token that moves in the transaction is no exchanger: it
 * issues or redeems shares, or sells for itself.
 */
export function exchangersOf(rows: readonly TransferFact[], wallet: string): Exchanger[] {
  const skipped = new Set(['', zeroAddress, wallet, ...rows.map(({ token }) => token)])
  const nets = new Map<string, Map<string, bigint>>()
  const add = (address: string, token: string, amount: bigint): void => {
    if (skipped.has(address)) return
    const net = nets.get(address) ?? new Map<string, bigint>()
    nets.set(address, net.set(token, (net.get(token) ?? 0n) + amount))
  }
  for (const { sender, recipient, token, amount } of rows) {
    add(sender, token, -amount)
    add(recipient, token, amount)
  }
  const toAmounts = (net: Map<string, bigint>, sign: bigint): AssetAmount[] =>
    [...net].map(([token, amount]) => ({ token, amount: sign * amount })).filter(({ amount }) => amount > 0n)
  return [...nets]
    .map(([address, net]) => ({ address, received: toAmounts(net, 1n), paid: toAmounts(net, -1n) }))
    .filter(({ received, paid }) => received.length > 0 && paid.length > 0)
}

/** The assets that exchangers turn an asset into, in one or several steps, with the asset itself. */
export function reachedFrom(exchangers: readonly Exchanger[], sold: string): ReadonlySet<string> {
  const reached = new Set([sold])
  for (const asset of reached)
    for (const { received, paid } of exchangers)
      if (received.some(({ token }) => token === asset)) for (const { token } of paid) reached.add(token)
  return reached
}

/**
 * The movements of tokens and of the native coin in a span. A wrap changes nobody's amount of the coin; only beside the
 * calls that traces show does it count.
 */
export function rowsIn(span: Span, tx: TransactionFacts, { tokens, internals, areShown }: Movements): TransferFact[] {
  const shown = tokens.filter((row) => isIn(span, row) && (areShown || (row.sender !== '' && row.recipient !== '')))
  return [...shown, ...internals.filter((row) => row.log_index < 0 || isIn(span, row)), ...sentWith(tx, internals)]
}

/** The native coin sent with a transaction. Logs of the native coin show it, traces do not. */
const sentWith = (
  { sender, recipient, amount }: TransactionFacts,
  internals: readonly TransferFact[],
): TransferFact[] =>
  amount === 0n || recipient === null || internals.some(({ log_index }) => log_index >= 0)
    ? []
    : [{ log_index: -1, kind: 'internal', token: 'native', sender, recipient, amount }]
