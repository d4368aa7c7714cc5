import { keccak_256 } from '@noble/hashes/sha3'

/** Logs as far as a bloom filter has them. */
type Bloomed = { address: string; topics: readonly string[] }

/** The bits of an address or topic in the 2,048 bits of a block's filter: three, by EIP-234's yellow paper rule. */
const bitsOf = (text: string): readonly number[] => {
  const hashed = Buffer.from(keccak_256(Buffer.from(text.slice(2), 'hex')))
  return [0, 2, 4].map((at) => hashed.readUInt16BE(at) & 2_047)
}

const bitCache = new Map<string, readonly number[]>()
/** Topics of filters repeat in every block, so their bits are kept; the map is cleared before it grows large. */
function cachedBits(text: string): readonly number[] {
  const cached = bitCache.get(text)
  if (cached !== undefined) return cached
  if (bitCache.size > 10_000) bitCache.clear()
  const bits = bitsOf(text)
  bitCache.set(text, bits)
  return bits
}

/** The filter of logs, as a header has it: 256 bytes in hexadecimal. */
export function bloomOf(logs: readonly Bloomed[]): string {
  const bloom = Buffer.alloc(256)
  const add = (text: string): void => {
    for (const bit of cachedBits(text)) {
      const at = 255 - (bit >> 3)
      bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
    }
  }
  let last: Bloomed | undefined
  for (const log of logs) {
    // Logs of a transaction share most texts, and comparing costs less than looking up their bits.
    const { address, topics } = log
    if (address !== last?.address) add(address)
    if (topics !== last?.topics)
      for (let n = 0; n < topics.length; n++) if (topics[n] !== last?.topics[n]) add(topics[n] ?? '')
    last = log
  }
  return `0x${bloom.toString('hex')}`
}

/** A filter for tests of single texts. */
export type Bloom = {
  /** False: no log of the block has the text. True: a log may have it. */
  mayHave: (text: string) => boolean
}

/** The filter of a block without logs. Some rollups write it in every header. */
export const emptyBloom = `0x${'0'.repeat(512)}`

/** Reads a header's filter; undefined if it has none, or an empty one. */
export function openBloom(bloom: string | null): Bloom | undefined {
  if (bloom === null || !/^0x[0-9a-f]{512}$/.test(bloom)) return undefined
  const bytes = Buffer.from(bloom.slice(2), 'hex')
  if (bytes.every((byte) => byte === 0)) return undefined
  const has = (bit: number): boolean => ((bytes[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
  return { mayHave: (text) => cachedBits(text).every(has) }
}
