/** The start and the factor of FNV-1a. */
export const FNV_OFFSET = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** FNV-1a of the UTF-16 units of a text, 32 bits. */
export function hashOf(text: string): number {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash
}

/** The hash of two tokens in order. */
export const hashPair = (first: number, second: number): number => Math.imul(first, 0x9e3779b1) ^ second

/** Features are numbered by hashes of this many bits. */
export const FEATURE_BITS = 18

/** Spreads a hash over the numbers of features (the last steps of MurmurHash3). */
export function featureOf(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) & ((1 << FEATURE_BITS) - 1)
}
