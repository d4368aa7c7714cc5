/** Addresses, accounts, cashtags, numbers and emoji, in which copies of a text differ. */
const varying = /https?:\/\/\S+|[@$][\p{L}\p{N}_.]+|\p{N}+|\p{Extended_Pictographic}/gu
const wordPattern = /\p{L}+/gu
const WORDS = 3

/**
 * The SimHash of a text, 64 bits, over runs of three words of its normalized form. Texts that differ in few words have
 * hashes that differ in few bits. A text without words has the hash 0.
 */
export function simhashOf(text: string): bigint {
  const words = text.toLowerCase().replaceAll(varying, ' ').match(wordPattern) ?? []
  const votes = new Int32Array(64)
  for (let n = 0; n < Math.max(words.length - WORDS + 1, Math.min(words.length, 1)); n++) {
    const [low, high] = hash(words.slice(n, n + WORDS).join(' '))
    for (let bit = 0; bit < 32; bit++) {
      votes[bit] = (votes[bit] ?? 0) + ((low >>> bit) & 1) * 2 - 1
      votes[bit + 32] = (votes[bit + 32] ?? 0) + ((high >>> bit) & 1) * 2 - 1
    }
  }
  let bits = 0n
  for (let bit = 63; bit >= 0; bit--) bits = bits * 2n + ((votes[bit] ?? 0) > 0 ? 1n : 0n)
  return bits
}

/** Two hashes of 32 bits: FNV-1a with two seeds, each mixed at the end. */
function hash(text: string): [number, number] {
  let [low, high] = [0x811c9dc5, 0x9747b28c]
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x5bd1e995)
  }
  return [mix(low), mix(high)]
}

function mix(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}
