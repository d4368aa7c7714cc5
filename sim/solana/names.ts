import { createHash } from 'node:crypto'

import { getBase58Decoder } from '@solana/codecs-strings'

/** An address that follows from texts alone. Different texts give different addresses. */
export const nameOf = (...parts: readonly (string | number)[]): string =>
  getBase58Decoder().decode(createHash('sha256').update(parts.join('/')).digest())

/** The signature of a transaction: 64 bytes. */
export const signatureOf = (...parts: readonly (string | number)[]): string =>
  getBase58Decoder().decode(createHash('sha512').update(parts.join('/')).digest())

/** Programs and mints that readers of the real chain know. */
export const mainnet = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  vote: 'Vote111111111111111111111111111111111111111',
  jupiter: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  raydium: '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  whirlpool: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
  tips: '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
  dollar: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  wrapped: 'So11111111111111111111111111111111111111112',
} as const
