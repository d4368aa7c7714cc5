import { createRandom, hexSpace, hexText, type Random } from '#sim/random.ts'

import { day_s, endsAt_s, opensAt_s } from './event_templates.ts'
import type { Person } from './traders.ts'
import { writeMatch, type Tape } from './trading/tape.ts'
import type { ActivityKind, Combo, Market } from './types.ts'

/** A combo before its time is known: the number of its match on the tape. */
export type TapedCombo = Omit<Combo, 'match'> & { taped: number }

/** The rows of the feeds beside trades: parlays, dust, rows of the exchange itself, income, deposits. */
export function addExtras(seed: number, tape: Tape, people: Person[], markets: Market[]): TapedCombo[] {
  const random = createRandom(seed, 4)
  const nMatches = tape.ts_s.length
  addSystemRows(tape, nMatches, random)
  addDust(tape, nMatches, markets)
  addCash(tape, people, random)
  return addCombos(seed, tape, people, markets, Math.round(tape.trader.length * 0.008), random)
}

/** Some rows name the exchange's own address, half of them as taker. */
function addSystemRows(tape: Tape, nMatches: number, random: Random): void {
  for (let i = 60; i < nMatches; i += 400 + random.below(1200)) {
    const leg = tape.firstLeg[i] ?? 0
    const at = { ts_s: tape.ts_s[i] ?? 0, market: tape.market[i] ?? 0, fair: tape.fair[i] ?? 0, tx: tape.tx[i] ?? 0 }
    const [outcome, size, cash] = [tape.outcome[leg] ?? 0, tape.size[leg] ?? 0, tape.cash[leg] ?? 0]
    writeMatch(tape, at, [
      { trader: random.chance(0.5) ? -1 : -2, outcome, side: 1 - (tape.side[leg] ?? 0), size, cash, fee: 0 },
    ])
  }
}

const buys = 0
/** Millionths of a share: less than the venue's lists show by default. */
const dustSize = 4_000

/**
 * Some matches are followed by one of dust, between the same two buyers at the same prices. Their markets have no
 * redemptions, which would include it.
 */
function addDust(tape: Tape, nMatches: number, markets: Market[]): void {
  for (let i = 45; i < nMatches; i += 30) {
    const [leg, next] = [tape.firstLeg[i] ?? 0, (tape.firstLeg[i] ?? 0) + 1]
    const [taker, maker] = [tape.trader[leg] ?? -1, tape.trader[next] ?? -1]
    const isMint = tape.side[leg] === buys && tape.side[next] === buys && next < (tape.firstLeg[i + 1] ?? 0)
    const isOpen = (markets[tape.market[i] ?? -1]?.resolvedAt_s ?? 0) > endsAt_s
    if (!isMint || !isOpen || taker < 0 || maker < 0) continue
    const cash = Math.round(((tape.cash[leg] ?? 0) / (tape.size[leg] ?? 1)) * dustSize)
    const at = { ts_s: tape.ts_s[i] ?? 0, market: tape.market[i] ?? 0, fair: tape.fair[i] ?? 0, tx: tape.nextTx++ }
    const dustFill = (place: number) => ({ outcome: tape.outcome[place] ?? 0, side: buys, size: dustSize, fee: 0 })
    writeMatch(tape, at, [
      { ...dustFill(leg), trader: taker, cash },
      { ...dustFill(next), trader: maker, cash: dustSize - cash },
    ])
  }
}

function addCombos(
  seed: number,
  tape: Tape,
  people: Person[],
  markets: Market[],
  count: number,
  random: Random,
): TapedCombo[] {
  const players = people.filter((person) => person.rate > 0)
  const combos: TapedCombo[] = []
  for (let i = 0; i < count; i++) {
    const size = 1_000_000 * (2 + random.below(200))
    const cash = Math.round(size * random.between(0.02, 0.6))
    const ts_s = Math.floor(random.between(opensAt_s + day_s, endsAt_s))
    const leg = {
      trader: random.pick(players).index,
      outcome: 0,
      side: random.chance(0.15) ? 1 : 0,
      size,
      cash,
      fee: 0,
    }
    combos.push({
      taped: tape.ts_s.length,
      legs: [random.below(markets.length), random.below(markets.length)],
      conditionId: `0x03${hexText(seed, hexSpace.combo, 2 * i, 60)}`,
      tokenId: BigInt(`0x${hexText(seed, hexSpace.combo, 2 * i + 1, 64)}`).toString(),
    })
    writeMatch(tape, { ts_s, market: -1, fair: Number.NaN, tx: tape.nextTx++ }, [leg])
  }
  return combos
}

/** Income of makers, and deposits and withdrawals of all traders: cash without a trade. */
function addCash(tape: Tape, people: Person[], random: Random): void {
  for (const person of people) {
    const first_s = opensAt_s + 60 + random.below(3000)
    note(person, 'DEPOSIT', first_s, person.bet_usd * 40)
    if (random.chance(0.25)) note(person, 'WITHDRAWAL', first_s + random.between(20, 110) * day_s, person.bet_usd * 5)
    if (person.archetype !== 'market_maker') continue
    for (let at_s = opensAt_s + day_s + 90; at_s < endsAt_s; at_s += day_s) {
      note(person, 'REWARD', at_s + random.below(600), person.bet_usd * random.between(0.005, 0.05))
    }
    for (let at_s = opensAt_s + 7 * day_s; at_s < endsAt_s; at_s += 7 * day_s) {
      note(person, 'MAKER_REBATE', at_s + random.below(600), person.bet_usd * random.between(0.02, 0.2))
    }
  }

  function note(person: Person, kind: ActivityKind, at_s: number, usd: number): void {
    const cash = Math.round(usd * 10_000) * 100
    const base = { ts_s: Math.floor(at_s), tx: tape.nextTx++, trader: person.index, market: -1, event: -1, indexSet: 0 }
    tape.activity.push({ ...base, kind, size: cash, cash })
  }
}
