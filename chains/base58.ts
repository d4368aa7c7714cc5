const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const valueOf = new Map([...digits].map((digit, value) => [digit, value]))

/** The bytes of a text in base58: a leading `1` is a zero byte each. Throws on any other character. */
export function bytesOfBase58(text: string): Buffer {
  // A number as bytes, the lowest first.
  const low: number[] = []
  for (const digit of text) {
    let carry = valueOf.get(digit)
    if (carry === undefined) throw new Error(`base58 ${text}: holds ${digit}; expected its 58 letters and digits`)
    for (let n = 0; n < low.length; n++) {
      carry += (low[n] ?? 0) * 58
      low[n] = carry & 255
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) low.push(carry & 255)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  return Buffer.from([...Buffer.alloc(zeros), ...low.toReversed()])
}
