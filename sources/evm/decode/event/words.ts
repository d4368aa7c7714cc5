/** A log whose fields are not what its event says. The row is rejected with this reason. */
export class MalformedLog extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedLog'
  }
}

const addressWord = /^0{24}[0-9a-f]{40}$/
const hexWord = /^0x[0-9a-f]{64}$/
const wordAt = (data: string, n: number): string => data.slice(2 + 64 * n, 66 + 64 * n)

/** Powers of two, made once: a log has several. */
const powers = Array.from({ length: 256 }, (_, bits) => 2n ** BigInt(bits))
const powerOf = (bits: number): bigint => powers[bits] ?? wrap
const wrap = 2n ** 256n

/** Word `n` of the data as an unsigned number of at most `bits` bits. */
export function uint(data: string, n: number, bits = 256): bigint {
  const value = BigInt(`0x${wordAt(data, n)}`)
  if (bits < 256 && value >= powerOf(bits)) throw new MalformedLog(`word ${n}: over ${bits} bits`)
  return value
}

/** Word `n` of the data as a signed number of at most `bits` bits, in two's complement of 256. */
export function int(data: string, n: number, bits = 256): bigint {
  const value = BigInt(`0x${wordAt(data, n)}`)
  // The highest bit is in the first digit.
  const signed = data.charCodeAt(2 + 64 * n) >= 56 ? value - wrap : value
  if (bits < 256 && (signed >= powerOf(bits - 1) || signed < -powerOf(bits - 1)))
    throw new MalformedLog(`word ${n}: over ${bits} bits`)
  return signed
}

/** Word `n` as a position, such as the index of a coin in its pool. */
export function position(data: string, n: number): number {
  const value = uint(data, n)
  if (value > 255n) throw new MalformedLog(`word ${n}: ${value}; expected a position up to 255`)
  return Number(value)
}

/** Word `n` as a flag. */
export function bool(data: string, n: number): boolean {
  const value = uint(data, n)
  if (value > 1n) throw new MalformedLog(`word ${n}: ${value}; expected 0 or 1`)
  return value === 1n
}

/** Word `n` of the data as it is. */
export function word(data: string, n: number): string {
  const text = `0x${wordAt(data, n)}`
  if (!hexWord.test(text)) throw new MalformedLog(`word ${n}: no hex`)
  return text
}

/** Word `n` of the data as an address. */
export function address(data: string, n: number): string {
  const text = wordAt(data, n)
  if (!addressWord.test(text)) throw new MalformedLog(`word ${n}: no address`)
  return `0x${text.slice(24)}`
}

/** The last address of each topic. Neighbours share their parties, so that equal addresses are one text. */
const lastAddresses = Array.from({ length: 4 }, () => ({ topic: 'none', address: '' }))

/** Topic `n` as an address. */
export function topicAddress(topics: readonly string[], n: number): string {
  const topic = topics[n] ?? ''
  const last = lastAddresses[n]
  if (last?.topic === topic) return last.address
  const text = topic.slice(2)
  if (!addressWord.test(text)) throw new MalformedLog(`topic ${n}: no address`)
  const read = { topic, address: `0x${text.slice(24)}` }
  lastAddresses[n] = read
  return read.address
}

/** Topic `n` as it is, such as the id of a pool. */
export function topicWord(topics: readonly string[], n: number): string {
  const topic = topics[n] ?? ''
  if (!hexWord.test(topic)) throw new MalformedLog(`topic ${n}: no hex`)
  return topic
}

/** The token of an address: `native` where events of routers mean the coin of the chain. */
export const tokenName = (contract: string): string => (natives.has(contract) ? 'native' : contract)

const natives = new Set([`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`])
