import { createHash } from 'node:crypto'

import { getBase58Decoder, getBase58Encoder } from '@solana/codecs-strings'

/** The program that holds the names of tokens. */
export const metaplex = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
const bytesOf = (name: string): Uint8Array => Uint8Array.from(getBase58Encoder().encode(name))

/** The account in which the program Metaplex names a mint: the first hash by falling numbers that is no public key. */
export function metadataAddressOf(mint: string): string {
  const address = addresses.get(mint) ?? searchAddress(mint)
  addresses.set(mint, address)
  return address
}

const addresses = new Map<string, string>()

function searchAddress(mint: string): string {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256')
      .update('metadata')
      .update(bytesOf(metaplex))
      .update(bytesOf(mint))
      .update(Uint8Array.of(bump))
      .update(bytesOf(metaplex))
      .update('ProgramDerivedAddress')
      .digest()
    if (!isOnCurve(hash)) return getBase58Decoder().decode(hash)
  }
  throw new Error(`mint ${mint}: no address of metadata; expected one`)
}

const p = 2n ** 255n - 19n
const mod = (value: bigint): bigint => ((value % p) + p) % p

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}

/** Whether 32 bytes are a point of the curve ed25519: x² = (y² - 1) / (d y² + 1) has a root. */
function isOnCurve(bytes: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const d = mod(-121_665n * power(121_666n, p - 2n))
  const [u, v] = [mod(y * y - 1n), mod(d * y * y + 1n)]
  const square = mod(u * power(v, p - 2n))
  return square === 0n || power(square, (p - 1n) / 2n) === 1n
}

/** The data of the account, as the program stores it: texts of fixed space, filled with zeros. */
export function metadataOf({ mint, name, symbol }: { mint: string; name: string; symbol: string }): string {
  const text = (value: string, space: number): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(space)
    return Buffer.concat([length, Buffer.from(value.padEnd(space, '\0'))])
  }
  const head = Buffer.concat([Uint8Array.of(4), bytesOf(metaplex), bytesOf(mint)])
  return Buffer.concat([head, text(name, 32), text(symbol, 10), text('', 200)]).toString('base64')
}
