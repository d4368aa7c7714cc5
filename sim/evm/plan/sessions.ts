import type { PlannedToken } from '#sim/evm/types.ts'
import { createRandom } from '#sim/random.ts'

/** Five minutes in which several wallets trade a token through two pools, until it has a new price. */
export type Session = { token: number; at_s: number; price_usd: number; before_usd: number }

const bin_s = 300
/** Seconds between the sessions of a token. */
const pace_s = { thin: 9 * 86_400, ahead: 3_600 }

/**
 * The sessions of the thin tokens, by token in the order of time. Each moves the price by some percent, so a wallet
 * that knows the plan can gain or lose at will. Sessions of other tokens never share its five minutes. After `now_s`
 * they follow each other faster, so that a world that is watched has something to show.
 */
export function createSessions(
  seed: number,
  tokens: readonly PlannedToken[],
  { start_s, now_s, ends_s }: { start_s: number; now_s: number; ends_s: number },
): Session[][] {
  const taken = new Set<number>()
  const n_thin = tokens.filter(({ kind }) => kind === 'thin').length
  return tokens.map((token) => {
    if (token.kind !== 'thin') return []
    const random = createRandom(seed, 12, token.index)
    const sessions: Session[] = []
    let price = token.price_usd
    let at_s = start_s + 86_400 + random.below(5 * 86_400)
    while (at_s < ends_s) {
      let bin = Math.ceil(at_s / bin_s)
      while (taken.has(bin)) bin++
      taken.add(bin)
      const before_usd = price
      // A tenth up or a tenth down, drawn back to the first price.
      const pull = 0.35 * Math.log(token.price_usd / price)
      price *= Math.exp(pull + (random.chance(0.5) ? 1 : -1) * random.between(0.08, 0.16))
      sessions.push({ token: token.index, at_s: bin * bin_s, price_usd: price, before_usd })
      const next_s = at_s < now_s ? pace_s.thin : pace_s.ahead * n_thin
      at_s += Math.floor(next_s * random.between(0.6, 1.4))
    }
    return sessions
  })
}
