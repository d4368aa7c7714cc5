/** Posts after this many microseconds from the first of a cluster begin a new one. */
const SPAN = 72 * 3_600_000_000
/** Hashes that differ in more bits are those of no near-duplicates. */
const NEAR_BITS = 3

/** The first post of a cluster: its number, its time, and the halves of its hash. */
type First = { cluster_id: string; n: number; ts: number; low: number; high: number }

/**
 * Opens the clusters of one platform. The function takes its posts in the order of time and id, and returns the first
 * post of the cluster: the earliest first post of the last 72 hours whose hash differs in at most 3 bits, else the post
 * itself. The clusters follow from the set of posts alone, and no chain of small changes joins posts that differ. A text
 * without words has the hash 0 and no near-duplicates.
 */
export function openClusters(): (post: { post_id: string; ts: number; simhash: bigint }) => string {
  // Two hashes that differ in three bits agree in at least one of four quarters.
  const quarters: Map<number, First[]>[] = [new Map(), new Map(), new Map(), new Map()]
  let n = 0
  return ({ post_id, ts, simhash }) => {
    if (simhash === 0n) return post_id
    const [low, high] = [Number(simhash & 0xffff_ffffn) | 0, Number(simhash >> 32n) | 0]
    const found = findNear(quarters, ts, low, high)
    if (found !== undefined) return found.cluster_id
    const own = { cluster_id: post_id, n: n++, ts, low, high }
    for (const [index, quarter] of quarters.entries()) {
      const key = quarterOf(low, high, index)
      const bucket = quarter.get(key)
      if (bucket === undefined) quarter.set(key, [own])
      else bucket.push(own)
    }
    return post_id
  }
}

function findNear(quarters: readonly Map<number, First[]>[], ts: number, low: number, high: number): First | undefined {
  let found: First | undefined
  for (const [index, quarter] of quarters.entries()) {
    const bucket = quarter.get(quarterOf(low, high, index)) ?? []
    dropOld(bucket, ts)
    const near = bucket.find((first) => bitsOf(first.low ^ low) + bitsOf(first.high ^ high) <= NEAR_BITS)
    if (near !== undefined && (found === undefined || near.n < found.n)) found = near
  }
  return found
}

/** A bucket is in the order of time. */
function dropOld(bucket: First[], ts: number): void {
  const kept = bucket.findIndex((first) => ts - first.ts < SPAN)
  if (kept !== 0) bucket.splice(0, kept === -1 ? bucket.length : kept)
}

const quarterOf = (low: number, high: number, index: number): number =>
  ((index < 2 ? low : high) >>> (index % 2 === 0 ? 0 : 16)) & 0xffff

/** The number of bits that are set. */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
