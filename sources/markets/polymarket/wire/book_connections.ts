/**
 * The most tokens of a connection, and the most connections. A limit of 500 tokens a connection was measured by others
 * and is not documented.
 */
export const limits = { tokens: 400, connections: 25 } as const

export type Limits = { tokens: number; connections: number }

/**
 * The tokens of each connection, from those of the connections that are open. A connection without a new token is the
 * same array, also if some of its tokens are not wanted any more, so that it stays open. New tokens come into the
 * few connections with the most room, which are opened anew: a subscription that is added to an open connection often
 * delivers nothing. `wanted` is in order of importance. Tokens beyond the limits are left out, the open ones last.
 */
export function assignTokens(
  open: readonly (readonly string[])[],
  wanted: readonly string[],
  { tokens, connections }: Limits = limits,
): (readonly string[])[] {
  const openTokens = new Set(open.flat())
  const isWanted = new Set(wanted)
  const lists = open.map((list) => list.filter((token) => isWanted.has(token)))
  const held = lists.reduce((sum, { length }) => sum + length, 0)
  const fresh = wanted.filter((token) => !openTokens.has(token)).slice(0, Math.max(0, tokens * connections - held))
  const room = lists.reduce((sum, { length }) => sum + tokens - length, 0)
  const n_more = Math.ceil(Math.max(0, fresh.length - room) / tokens)
  for (let n = 0; n < n_more; n += 1) lists.push([])
  const targets = emptiest(lists, fresh.length, tokens)
  // Important tokens are spread, so that each of the connections has messages often.
  for (const token of fresh) {
    const [first = []] = targets
    targets.reduce((least, list) => (list.length < least.length ? list : least), first).push(token)
  }
  const added = new Set(fresh)
  return lists.map((list, n) => {
    const before = open[n]
    return before === undefined || list.some((token) => added.has(token)) ? list : before
  })
}

/** The fewest lists that have room for so many more tokens. */
function emptiest(lists: readonly string[][], n_fresh: number, most: number): string[][] {
  const chosen: string[][] = []
  let room = 0
  for (const list of lists.toSorted((a, b) => a.length - b.length)) {
    if (room >= n_fresh) break
    chosen.push(list)
    room += most - list.length
  }
  return chosen
}
