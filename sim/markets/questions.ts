import type { Random } from '#sim/random.ts'

/** The texts of an event, which decide nothing. `prior` is the probability that a lifelike price suggests. */
export type Wording = { title: string; category: string; tags: string[]; prior?: number }

const towns = [
  'Alder', 'Birchport', 'Cedar Falls', 'Dunmore', 'Eastwick', 'Fairhaven', 'Glenrock', 'Hollis', 'Ironbridge',
  'Juniper', 'Kingsbury', 'Lakemont', 'Marlow', 'Northgate', 'Oakhurst', 'Port Ellis', 'Quarry Hill', 'Ravenna',
] // prettier-ignore
const mascots = ['Gulls', 'Comets', 'Wolves', 'Miners', 'Pilots', 'Herons', 'Rovers', 'Kites', 'Foxes', 'Bisons']
const people = [
  'Ada Lorne', 'Bram Vester', 'Celia Ruiz', 'Dov Hartman', 'Elin Sato', 'Femi Okoye', 'Greta Lind', 'Hugo Marsh',
  'Ines Duval', 'Jonas Pryce', 'Kira Novak', 'Liam Ashby',
] // prettier-ignore
const acts = [
  'resign', 'announce a merger', 'launch a token', 'win the by-election', 'publish the audit', 'sign the treaty',
  'release the record', 'reach orbit',
] // prettier-ignore
const prizes = ['Harbor Prize', 'Copper Cup', 'League Title', 'Mayoral Race', 'Golden Quill', 'Founders Award']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
  .concat(['November', 'December']) // prettier-ignore
export const coins = [
  { name: 'Bitcoin', ticker: 'BTC', usd: 100_000 },
  { name: 'Ethereum', ticker: 'ETH', usd: 2_500 },
  { name: 'Solana', ticker: 'SOL', usd: 160 },
] as const

/** `July 4`, as in titles. */
export function dayOf(at_s: number): string {
  const date = new Date(at_s * 1000)
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()}`
}

/** Lower-case words joined by hyphens. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

export function teams(random: Random): [string, string] {
  const home = `${random.pick(towns)} ${random.pick(mascots)}`
  for (;;) {
    const away = `${random.pick(towns)} ${random.pick(mascots)}`
    if (away !== home) return [home, away]
  }
}

export function wordStory(random: Random, endsAt_s: number): Wording {
  const title = `Will ${random.pick(people)} ${random.pick(acts)} by ${dayOf(endsAt_s)}?`
  return { title, category: 'Politics', tags: ['Politics', 'World'] }
}

/**
 * Some questions name a coin, so that markets can be matched to assets. In a lifelike world they ask for a price near
 * that of the coin.
 */
export function wordCoin(random: Random, endsAt_s: number, isLifelike: boolean): Wording {
  const coin = random.pick(coins)
  const step = 1 + random.below(90)
  const usd = isLifelike ? nearby(coin.usd, step) : String(step * 1000)
  const title = `Will ${coin.name} close above $${usd} on ${dayOf(endsAt_s)}?`
  return { title, category: 'Crypto', tags: ['Crypto', coin.name], ...(isLifelike && { prior: 0.9 - step / 112 }) }
}

/** 70 to 130 % of a price, with two digits. */
const nearby = (usd: number, step: number): string =>
  Number((usd * (0.7 + step / 150)).toPrecision(2)).toLocaleString('en-US')

/** A contest: its title and the names of the candidates. */
export function wordContest(random: Random, size: number, endsAt_s: number): Wording & { candidates: string[] } {
  const from = random.below(people.length)
  const candidates = Array.from({ length: size }, (_, i) => people[(from + i) % people.length] ?? '')
  return {
    title: `${random.pick(prizes)} winner, ${dayOf(endsAt_s)}?`,
    category: 'Culture',
    tags: ['Culture'],
    candidates,
  }
}

/** A scheduled release with buckets, such as a rate decision. */
export function wordRelease(size: number, at_s: number): Wording & { candidates: string[] } {
  const candidates = Array.from({ length: size }, (_, i) => (i === size - 1 ? `${i} or more` : `${i}`))
  return {
    title: `How many rate steps on ${dayOf(at_s)}?`,
    category: 'Economy',
    tags: ['Economy', 'Rates'],
    candidates,
  }
}
