/** A swap of a pool: the tokens that went in and came out, in raw units, by the sender of the transaction. */
export type PoolSwap = {
  minute: number
  pool: string
  sender: string
  paid: { token: string; amount: bigint }
  got: { token: string; amount: bigint }
}

/** The tokens of a chain: `native` is its coin, `dollars` are its stables, the first one the trusted one. */
export type Tokens = { decimals: Record<string, number>; dollars: readonly string[] }

/** The price of a token in the five minutes that begin at minute `at`. */
export type Price = {
  token: string
  at: number
  usd: number
  volume: number
  amount: bigint
  n_pools: number
  n_senders: number
  depth: number
  is_thin: boolean
}

/** One token's side of a swap for money. */
type Print = {
  token: string
  money: string
  minute: number
  at: number
  pool: string
  sender: string
  isSale: boolean
  amount: bigint
  paid: number
  price: number
}

const day = 24 * 60
const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((x, y) => x - y)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}
const different = <T>(values: readonly T[]): number => new Set(values).size
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The prices of all tokens by scoring.md, print by print and window by window. */
export function oraclePrices(swaps: readonly PoolSwap[], tokens: Tokens): Price[] {
  const isDollar = (token: string): boolean => tokens.dollars.includes(token)
  const large = sizable(printsOf(swaps, tokens), tokens)
  const prints = withoutOutliers(ofMoney(large, tokens))
  const priced = (token: string, usdOf: (print: Print) => number | null): Price[] =>
    pricesOf(
      prints.filter((print) => print.token === token),
      usdOf,
      tokens,
    )
  const coin = priced('native', ({ paid }) => paid).filter(({ is_thin }) => !is_thin)
  const usdOf = ({ money, paid, at }: Print): number | null => {
    if (isDollar(money)) return paid
    const last = coin.filter((price) => price.at <= at).at(-1)
    return last === undefined || at - last.at >= day || paid * last.usd >= 2e9 ? null : paid * last.usd
  }
  return Object.keys(tokens.decimals).flatMap((token) => {
    const found = priced(token, usdOf)
    return isDollar(token)
      ? found.map((price) => (isOffPeg(large, tokens, token, price.at) ? price : { ...price, usd: 1 }))
      : found
  })
}

/** Both sides of each swap, where the other side is a dollar, or the coin for a token that is not the coin. */
function printsOf(swaps: readonly PoolSwap[], { decimals, dollars }: Tokens): Print[] {
  const units = ({ token, amount }: PoolSwap['paid']): number => Number(amount) / 10 ** (decimals[token] ?? 0)
  return swaps.flatMap(({ minute, pool, sender, paid, got }) =>
    [true, false].flatMap((isSale) => {
      const [own, other] = isSale ? [paid, got] : [got, paid]
      if (!dollars.includes(other.token) && (other.token !== 'native' || own.token === 'native')) return []
      const at = Math.floor(minute / 5) * 5
      const of = { token: own.token, money: other.token, minute, at, pool, sender, isSale, amount: own.amount }
      return [{ ...of, paid: units(other), price: units(other) / units(own) }]
    }),
  )
}

const hourOf = (minute: number): number => Math.floor(minute / 60)

/** Prints of at least 10 dollars and less than 2 billion, with their price in dollars. */
function sizable(prints: readonly Print[], { dollars }: Tokens): Print[] {
  const large = prints.filter(({ token, paid }) => token === 'native' && paid >= 10)
  return prints.flatMap((print) => {
    const hours = large.map(({ minute }) => hourOf(minute)).filter((hour) => hour <= hourOf(print.minute))
    const last = Math.max(...hours)
    const coin = median(large.filter(({ minute }) => hourOf(minute) === last).map(({ price }) => price))
    const dollarsPerMoney = dollars.includes(print.money) ? 1 : coin
    const usd = print.paid * dollarsPerMoney
    return usd >= 10 && usd < 2e9 ? [{ ...print, price: print.price * dollarsPerMoney }] : []
  })
}

/** Whether a dollar, in the hour of a minute, is over 5 % from the trusted one by the median of swaps of 3 senders. */
function isOffPeg(prints: readonly Print[], { dollars }: Tokens, token: string, minute: number): boolean {
  const own = prints.filter(
    (print) => print.token === token && print.money === dollars[0] && hourOf(print.minute) === hourOf(minute),
  )
  return different(own.map(({ sender }) => sender)) >= 3 && Math.abs(median(own.map(({ price }) => price)) - 1) > 0.05
}

/** Prints whose money is on its peg. */
const ofMoney = (prints: readonly Print[], tokens: Tokens): Print[] =>
  prints.filter(({ money, minute }) => !tokens.dollars.includes(money) || !isOffPeg(prints, tokens, money, minute))

function withoutOutliers(prints: readonly Print[]): Print[] {
  return prints.filter((print) => {
    const own = prints.filter(({ token }) => token === print.token)
    const middleOf = (at: number): number => median(own.filter((one) => one.at === at).map(({ price }) => price))
    const earlier = [...new Set(own.map(({ at }) => at))]
      .filter((at) => at < print.at)
      .sort((x, y) => y - x)
      .slice(0, 12)
    const before = median(earlier.map(middleOf))
    const middle = middleOf(print.at)
    const spread = median(own.filter(({ at }) => at === print.at).map(({ price }) => Math.abs(price - middle)))
    const isNear = earlier.length === 0 || (print.price <= 3 * before && 3 * print.price >= before)
    return isNear && Math.abs(print.price - middle) <= Math.max(5 * 1.4826 * spread, 0.1 * middle)
  })
}

/** The prices of one token from its prints. */
function pricesOf(all: readonly Print[], usdOf: (print: Print) => number | null, { decimals }: Tokens): Price[] {
  const valued = all.flatMap((print) => {
    const usd = usdOf(print)
    return usd === null ? [] : [{ ...print, usd }]
  })
  return [...new Set(valued.map(({ at }) => at))]
    .sort((x, y) => x - y)
    .map((at) => {
      const own = valued.filter((print) => print.at === at)
      const inDay = (print: Print): boolean => print.at <= at && print.at > at - day
      const sellers = new Set(own.filter(({ isSale }) => isSale).map(({ sender }) => sender))
      const amount = own.reduce((sum, print) => sum + print.amount, 0n)
      const volume = total(own.map(({ usd }) => usd))
      const n_pools = different(all.filter(inDay).map(({ pool }) => pool))
      const n_senders = different(all.filter(inDay).map(({ sender }) => sender))
      const token = own[0]?.token ?? ''
      return {
        token,
        at,
        usd: volume / (Number(amount) / 10 ** (decimals[token] ?? 0)),
        volume,
        amount,
        n_pools,
        n_senders,
        depth: total(
          valued.filter((print) => inDay(print) && print.isSale && !sellers.has(print.sender)).map(({ usd }) => usd),
        ),
        is_thin: n_pools < 2 && n_senders < 3,
      }
    })
}
