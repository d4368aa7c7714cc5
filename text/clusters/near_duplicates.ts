import { DAY, type Micros } from '#time.ts'

import { NEAR_BITS, NO_WORDS } from './simhash.ts'

/** Posts after this time from the first of a cluster begin a new one. */
export const CLUSTER_SPAN: Micros = 3 * DAY

/** The first post of a cluster: its place in the list, its time, and the halves of its hash. */
type First = { post: number; ts: Micros; low: number; high: number }

/**
 * Groups near-duplicates of one platform. `posts` lie in the order of their time and id. Of each post, the place of the
 * first post of its cluster: the earliest first post within three days before it whose hash differs in at most
 * {@link NEAR_BITS} bits, else itself. So the groups follow from the set of posts alone, and no chain of small changes
 * joins posts that differ.
 */
export function nearDuplicates(posts: readonly { ts: Micros; simhash: bigint }[]): Int32Array {
  const firsts = new Int32Array(posts.length)
  const exact = new Map<bigint, First>()
  // Two hashes that differ in three bits agree in one of four quarters at least.
  const quarters: Map<number, First[]>[] = [new Map(), new Map(), new Map(), new Map()]
  for (const [post, { ts, simhash }] of posts.entries()) {
    firsts[post] = post
    if (simhash === NO_WORDS) continue
    const same = exact.get(simhash)
    const low = Number(simhash & 0xffff_ffffn) | 0
    const high = Number(simhash >> 32n) | 0
    const first = same !== undefined && isRecent(same, ts) ? same : findNear(quarters, ts, low, high)
    if (first !== undefined) firsts[post] = first.post
    else {
      const entry = { post, ts, low, high }
      exact.set(simhash, entry)
      for (const [n, quarter] of quarters.entries()) addTo(quarter, quarterOf(low, high, n), entry)
    }
  }
  return firsts
}

const isRecent = (first: First, ts: Micros): boolean => ts - first.ts < CLUSTER_SPAN

function findNear(quarters: readonly Map<number, First[]>[], ts: Micros, low: number, high: number): First | undefined {
  let earliest: First | undefined
  for (const [n, quarter] of quarters.entries()) {
    const key = quarterOf(low, high, n)
    const bucket = quarter.get(key)
    if (bucket === undefined) continue
    dropOld(bucket, ts)
    for (const first of bucket) {
      if (bitsOf(first.low ^ low) + bitsOf(first.high ^ high) > NEAR_BITS) continue
      if (earliest === undefined || first.post < earliest.post) earliest = first
      break
    }
  }
  return earliest
}

/** Buckets are in the order of time. */
function dropOld(bucket: First[], ts: Micros): void {
  const n_old = bucket.findIndex((first) => isRecent(first, ts))
  bucket.splice(0, n_old === -1 ? bucket.length : n_old)
}

function addTo(quarter: Map<number, First[]>, key: number, first: First): void {
  const bucket = quarter.get(key)
  if (bucket === undefined) quarter.set(key, [first])
  else bucket.push(first)
}

const quarterOf = (low: number, high: number, n: number): number =>
  ((n < 2 ? low : high) >>> (n % 2 === 0 ? 0 : 16)) & 0xffff

/** The number of bits that are set. */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
