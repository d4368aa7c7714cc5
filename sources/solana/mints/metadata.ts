import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses'
import { getBase58Decoder } from '@solana/codecs-strings'

import { printable } from '#sources/evm/rpc/erc20.ts'

/** The program that holds the names of tokens of the first program, which has no place for them. */
const metaplex = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')

/** The account with the name of a mint: it follows from the mint. */
export async function metadataAddress(mint: string): Promise<string> {
  const encoder = getAddressEncoder()
  const seeds = ['metadata', encoder.encode(metaplex), encoder.encode(address(mint))]
  const [derivedAddress] = await getProgramDerivedAddress({ programAddress: metaplex, seeds })
  return derivedAddress
}

/** The words of a token about itself; any token may take the words of another one. */
export type TokenWords = { name: string | null; symbol: string | null }

/** The key of the format, the authority that may change the account, and the mint stand before the name. */
const offsets = { mint: 33, name: 65 }
const formatKey = 4

/** The words in the data of a metadata account (Borsh); null if the data are of another mint or format. */
export function readMetadata(data: Uint8Array, mint: string): TokenWords | null {
  const bytes = Buffer.from(data)
  if (bytes.length < offsets.name + 4 || bytes.readUInt8(0) !== formatKey) return null
  if (getBase58Decoder().decode(bytes.subarray(offsets.mint, offsets.name)) !== mint) return null
  const name = textAt(bytes, offsets.name)
  const symbol = name && textAt(bytes, name.end)
  return symbol && { name: printable(name.text), symbol: printable(symbol.text) }
}

/** A text with its length before it. */
function textAt(bytes: Buffer, at: number): { text: string; end: number } | null {
  if (at + 4 > bytes.length) return null
  const end = at + 4 + bytes.readUInt32LE(at)
  return end > bytes.length ? null : { text: bytes.toString('utf8', at + 4, end), end }
}
