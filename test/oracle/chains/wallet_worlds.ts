import fc from 'fast-check'

import type { PoolSwap } from './prices.ts'
import type { Legs } from './value.ts'

type Row = Record<string, string | number | boolean | null>

/** A world as the lake shows it, and the truth behind it. */
export type WalletWorld = {
  rows: { transactions: Row[]; swaps: Row[]; transfers: Row[]; user_operations: Row[] }
  swaps: PoolSwap[]
  /** Each trade of each wallet, in order. */
  trades: (Legs & { tx: string; wallet: string; fee: bigint })[]
  /** The last balance of each wallet and token, from a first balance of 0: `wallet token`. */
  balances: Map<string, bigint>
}

/** Wallets of the world. The safe belongs to ann. */
export const wallets = ['ann', 'bob', 'cem', 'safe']
const units: Record<string, bigint> = { usdc: 10n ** 6n, dai: 10n ** 18n, native: 10n ** 18n, a: 10n ** 18n, b: 1n }
const perUsd: Record<string, number> = { usdc: 1, dai: 1, native: 1 / 2_500, a: 0.5, b: 0.025 }
const contract = (token: string): string => (token === 'native' ? 'weth' : token)

const kinds = [
  'swap',
  'route',
  'operation',
  'pay',
  'receive',
  'airdrop',
  'send',
  'carry',
  'coin',
  'fail',
  'gift',
] as const

type Event = {
  kind: (typeof kinds)[number]
  step: number
  wallet: string
  tokens: readonly string[]
  usd: number
  drift: number
  isTaxed: boolean
}

const events = (maxLength: number): fc.Arbitrary<Event[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      step: fc.oneof(
        { weight: 9, arbitrary: fc.nat(6) },
        { weight: 1, arbitrary: fc.integer({ min: 100, max: 2_000 }) },
      ),
      wallet: fc.constantFrom(...wallets),
      tokens: fc.shuffledSubarray(['usdc', 'dai', 'native', 'a', 'b'], { minLength: 3, maxLength: 3 }),
      usd: fc.double({ min: 20, max: 5_000, noNaN: true }),
      drift: fc.double({ min: 0.97, max: 1.03, noNaN: true }),
      isTaxed: fc.boolean(),
    }),
    { minLength: 20, maxLength },
  )

/** Random histories of wallets: trades of each shape, with taxes on transfers, and what moves beside them. */
export const walletWorlds = (maxLength: number, instant: (minute: number) => string): fc.Arbitrary<WalletWorld> =>
  events(maxLength).map((all) => {
    const world: WalletWorld = {
      rows: { transactions: [], swaps: [], transfers: [], user_operations: [] },
      swaps: [],
      trades: [],
      balances: new Map(),
    }
    let minute = 0
    for (const [block, event] of all.entries()) {
      minute += event.step
      play(world, event, { block, minute, ts: instant(minute) })
    }
    return world
  })

type At = { block: number; minute: number; ts: string }

function play(world: WalletWorld, event: Event, at: At): void {
  const { kind, wallet, isTaxed } = event
  const [x = '', y = '', z = ''] = event.tokens
  const amount = (token: string, usd: number): bigint =>
    (BigInt(Math.round(usd * (perUsd[token] ?? 1) * 1e9)) * (units[token] ?? 1n)) / 10n ** 9n + 1n
  const [sold, bought] = [amount(x, event.usd), amount(y, event.usd * event.drift)]
  const tx = openTransaction(world, at)
  const trade = (more: Partial<Legs> = {}): void => {
    const legs = { minute: at.minute, sold: x, bought: y, amount_sold: sold, amount_bought: bought, ...more }
    const areDollars = [legs.sold, legs.bought].every((token) => token === 'usdc' || token === 'dai')
    const fee = kind === 'operation' ? 3n * 10n ** 15n : 10n ** 15n
    if (!areDollars) world.trades.push({ tx: `0x${at.block}`, wallet, fee, ...legs })
  }
  tx.open(kind, wallet)
  switch (kind) {
    case 'swap':
    case 'operation': {
      const tax = isTaxed ? sold / 10n : 0n
      if (tax > 0n) tx.move(x, wallet, 'treasury', tax)
      tx.move(x, wallet, `${x}/${y}`, sold - tax)
      tx.swap(x, y, sold - tax, bought)
      tx.move(y, `${x}/${y}`, wallet, bought)
      if (kind === 'operation') tx.operation(wallet)
      return trade()
    }
    case 'route': {
      const middle = amount(z, event.usd)
      tx.move(x, wallet, 'router', sold)
      tx.move(x, 'router', `${x}/${z}`, sold)
      tx.swap(x, z, sold, middle)
      tx.move(z, `${x}/${z}`, `${z}/${y}`, middle)
      tx.swap(z, y, middle, bought)
      tx.move(y, `${z}/${y}`, wallet, bought)
      return trade()
    }
    case 'pay': {
      const coin = amount('native', event.usd)
      const got = y === 'native' ? x : y
      tx.send(wallet, 'router', coin)
      tx.wrap('router', coin)
      tx.move('native', 'router', `native/${got}`, coin)
      tx.swap('native', got, coin, bought)
      tx.move(got, `native/${got}`, wallet, bought)
      return trade({ sold: 'native', amount_sold: coin, bought: got })
    }
    case 'receive': {
      const coin = amount('native', event.usd)
      const given = x === 'native' ? y : x
      tx.move(given, wallet, `${given}/native`, sold)
      tx.swap(given, 'native', sold, coin)
      tx.move('native', `${given}/native`, 'router', coin)
      tx.unwrap('router', coin)
      tx.gain(wallet, 'native', coin)
      return trade({ sold: given, bought: 'native', amount_bought: coin })
    }
    case 'gift':
      tx.move(x, wallet, `${x}/${y}`, sold)
      tx.swap(x, y, sold, bought, 'zed')
      tx.move(y, `${x}/${y}`, 'zed', bought)
      // The wallet bought what it never held: the trade, and a transfer out.
      return trade()
    case 'airdrop':
      return tx.move(x, 'zed', wallet, sold)
    case 'send':
      return tx.move(x, wallet, isTaxed ? 'zed' : (wallets[(wallets.indexOf(wallet) + 1) % 3] ?? ''), sold)
    case 'carry':
      return wallet === 'safe' ? tx.move(x, 'safe', 'ann', sold) : tx.move(x, 'ann', 'safe', sold)
    case 'coin':
      return isTaxed ? tx.send('zed', wallet, sold) : tx.send(wallet, 'zed', sold)
    case 'fail':
      return undefined
  }
}

/** Writes the rows of one transaction and keeps the balances. */
function openTransaction({ rows, swaps, balances }: WalletWorld, { block, minute, ts }: At) {
  const place = { chain: 'base', block, tx_index: 0, tx: `0x${block}`, ts, source: 'evm' }
  let [log_index, by] = [0, '']
  const gain = (wallet: string, token: string, amount: bigint): void => {
    balances.set(`${wallet} ${token}`, (balances.get(`${wallet} ${token}`) ?? 0n) + amount)
  }
  const log = (kind: string, token: string, sender: string, recipient: string, amount: bigint): void => {
    rows.transfers.push({
      ...place,
      log_index: log_index++,
      kind,
      token: contract(token),
      sender,
      recipient,
      amount: String(amount),
    })
  }
  return {
    gain,
    open: (kind: string, wallet: string): void => {
      by = kind === 'operation' ? 'bundler' : kind === 'airdrop' ? 'zed' : wallet
      const of = { recipient: 'router', amount: '0', amount_fee: String(10n ** 15n), is_ok: kind !== 'fail' }
      rows.transactions.push({ ...place, sender: by, ...of })
    },
    move: (token: string, from: string, to: string, amount: bigint): void => {
      log('transfer', token, from, to, amount)
      gain(from, token, -amount)
      gain(to, token, amount)
    },
    wrap: (of: string, amount: bigint): void => log('wrap', 'native', '', of, amount),
    unwrap: (of: string, amount: bigint): void => log('unwrap', 'native', of, '', amount),
    send: (from: string, to: string, amount: bigint): void => {
      Object.assign(rows.transactions.at(-1) ?? {}, { sender: from, recipient: to, amount: String(amount) })
      by = from
      gain(from, 'native', -amount)
      gain(to, 'native', amount)
    },
    swap: (paid: string, got: string, amountIn: bigint, amountOut: bigint, recipient = 'router'): void => {
      const pool = `${paid}/${got}`
      const tokens = {
        token0: contract(paid),
        token1: contract(got),
        amount0: String(amountIn),
        amount1: String(-amountOut),
      }
      rows.swaps.push({ ...place, log_index: log_index++, family: 'uniswap_v3', pool, recipient, ...tokens })
      swaps.push({
        minute,
        pool,
        sender: by,
        paid: { token: paid, amount: amountIn },
        got: { token: got, amount: amountOut },
      })
    },
    operation: (wallet: string): void => {
      const of = { sender: wallet, paymaster: `0x${'0'.repeat(40)}`, is_ok: true, amount_fee: String(3n * 10n ** 15n) }
      rows.user_operations.push({ ...place, log_index: log_index++, ...of })
    },
  }
}
