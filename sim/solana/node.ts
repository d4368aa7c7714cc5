import { z } from 'zod'

import { dollarMint, type SolanaToken } from './market.ts'
import { metadataAddressOf, metadataOf, metaplex } from './metadata.ts'
import { mainnet } from './names.ts'
import { wireBlock, wireTransaction } from './wire.ts'
import { hashOf, type SimulatedBlock, type SolanaWorld } from './world.ts'

type Outcome = { result: unknown } | { error: { code: number; message: string } }
const failure = (code: number, message: string): Outcome => ({ error: { code, message } })

/** Slots from the head that may still be replaced. */
export const unconfirmed = 32
const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const most = { slots: 500_000, signatures: 1_000 }

const callShape = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) })
const requestShape = z.union([callShape, z.array(callShape)])
const optionsShape = z
  .looseObject({
    commitment: z.string().default('finalized'),
    encoding: z.enum(['json', 'jsonParsed']).default('json'),
    transactionDetails: z.string().default('full'),
    maxSupportedTransactionVersion: z.number().optional(),
    limit: z.number().default(most.signatures),
    before: z.string().optional(),
    until: z.string().optional(),
    programId: z.string().optional(),
    minContextSlot: z.number().default(0),
  })
  .default({
    commitment: 'finalized',
    encoding: 'json',
    transactionDetails: 'full',
    limit: most.signatures,
    minContextSlot: 0,
  })
type Options = z.output<typeof optionsShape>

/**
 * Answers the body of a JSON-RPC request as a node does whose last slot is `head`. Blocks above the final ones are
 * those of a fork that the chain leaves, so that a reader of unconfirmed blocks sees other hashes.
 */
export function answerSolana(world: SolanaWorld, body: unknown, head: number): unknown {
  const asked = requestShape.safeParse(body)
  if (!asked.success) return { jsonrpc: '2.0', id: null, ...failure(-32_600, 'Invalid request') }
  const reply = ({ id, method, params }: z.infer<typeof callShape>) => ({
    jsonrpc: '2.0',
    id,
    ...outcomeOf(world, head, method, params),
  })
  return Array.isArray(asked.data) ? asked.data.map(reply) : reply(asked.data)
}

/** The text of an answer, with whole amounts of any size. */
export const textOfAnswer = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `#${value}` : value)).replaceAll(
    /"#(\d+)"/g,
    '$1',
  )

function outcomeOf(world: SolanaWorld, head: number, method: string, params: readonly unknown[]): Outcome {
  const options = optionsShape.safeParse(params.at(-1)).data ?? optionsShape.parse(undefined)
  const final = lastBlock(world, head - unconfirmed)
  const last = options.commitment === 'finalized' ? final : lastBlock(world, head)
  if (options.minContextSlot > last) return failure(-32_016, 'Minimum context slot has not been reached')
  switch (method) {
    case 'getGenesisHash':
      return { result: genesis }
    case 'getSlot':
      return { result: last }
    case 'getBlocks':
      return slotsOf(world, Number(params[0]), Math.min(Number(params[1]), last))
    case 'getBlocksWithLimit':
      return { result: slotsFrom(world, Number(params[0]), last).slice(0, Number(params[1])) }
    case 'getBlock':
      return blockOf(world, Number(params[0]), { last, final, options })
    case 'getSignaturesForAddress':
      return signaturesOf(world, String(params[0]), { last, options })
    case 'getTransaction':
      return transactionOf(world, String(params[0]), { last, options })
    case 'getBalance':
      return { result: withSlot(final, world.bank.balanceOf(String(params[0]))) }
    case 'getTokenAccountsByOwner':
      return tokenAccountsOf(world, String(params[0]), { filter: params[1], last: final })
    case 'getAccountInfo':
      return { result: withSlot(final, accountOf(world, String(params[0]))) }
    case 'getMultipleAccounts':
      return {
        result: withSlot(
          final,
          z
            .array(z.string())
            .parse(params[0])
            .map((key) => accountOf(world, key)),
        ),
      }
    default:
      return failure(-32_601, 'Method not found')
  }
}

const withSlot = (slot: number, value: unknown) => ({ context: { slot }, value })

/** The last block up to a slot. */
const lastBlock = ({ blocks }: SolanaWorld, slot: number): number =>
  [...blocks.keys()].findLast((blockSlot) => blockSlot <= slot) ?? 0

const slotsFrom = ({ blocks }: SolanaWorld, from: number, to: number): number[] =>
  [...blocks.keys()].filter((slot) => slot >= from && slot <= to)

const slotsOf = (world: SolanaWorld, from: number, to: number): Outcome =>
  to - from > most.slots
    ? failure(-32_602, `Slot range too large; max ${most.slots}`)
    : { result: slotsFrom(world, from, to) }

function blockOf(
  { plan, blocks, tokens }: SolanaWorld,
  slot: number,
  { last, final, options }: { last: number; final: number; options: Options },
): Outcome {
  if (slot > last) return failure(-32_004, `Block not available for slot ${slot}`)
  const block = blocks.get(slot)
  if (block === undefined)
    return failure(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
  if (options.maxSupportedTransactionVersion === undefined)
    return failure(-32_015, 'Transaction version (0) is not supported by the requesting client')
  const { encoding, transactionDetails } = options
  const fork: SimulatedBlock = slot > final ? { ...block, hash: hashOf(plan.seed, slot, 1), transactions: [] } : block
  if (transactionDetails !== 'signatures')
    return { result: wireBlock(fork, { encoding, tokens, isFull: transactionDetails === 'full' }) }
  const signatures = fork.transactions.map(({ signature }) => signature)
  return { result: { ...wireBlock(fork, { encoding, tokens, isFull: false }), signatures } }
}

/** The blocks up to a slot with the transactions that name an address, the newest first. */
function* naming({ blocks }: SolanaWorld, address: string, last: number) {
  for (const block of [...blocks.values()].toReversed()) {
    if (block.slot > last) continue
    for (const transaction of block.transactions.toReversed())
      if (transaction.made?.lamports.has(address) === true) yield { block, transaction }
  }
}

function signaturesOf(
  world: SolanaWorld,
  address: string,
  { last, options }: { last: number; options: Options },
): Outcome {
  const listed: unknown[] = []
  let isBefore = options.before === undefined
  for (const { block, transaction } of naming(world, address, last)) {
    if (transaction.signature === options.until || listed.length === options.limit) break
    if (isBefore)
      listed.push({
        signature: transaction.signature,
        slot: block.slot,
        blockTime: block.time_s,
        err: transaction.made?.isOk === false ? { InstructionError: [0, { Custom: 6_001 }] } : null,
      })
    isBefore ||= transaction.signature === options.before
  }
  return { result: listed }
}

function transactionOf(
  { blocks, tokens }: SolanaWorld,
  signature: string,
  { last, options }: { last: number; options: Options },
): Outcome {
  for (const block of blocks.values()) {
    const transaction = block.transactions.find((placed) => placed.signature === signature)
    if (transaction !== undefined && block.slot <= last)
      return {
        result: {
          slot: block.slot,
          blockTime: block.time_s,
          ...wireTransaction(transaction, options.encoding, tokens),
        },
      }
  }
  return { result: null }
}

function tokenAccountsOf(
  { bank, tokens }: SolanaWorld,
  owner: string,
  { filter, last }: { filter: unknown; last: number },
): Outcome {
  const { programId } = z.looseObject({ programId: z.string() }).parse(filter)
  const accounts = bank.accountsOf(owner).flatMap(({ address, mint, amount }) => {
    const token = tokens.find((candidate) => candidate.mint === mint) ?? { decimals: 6, program: mainnet.token }
    if (token.program !== programId) return []
    const tokenAmount = { amount: amount.toString(), decimals: token.decimals }
    const parsed = { type: 'account', info: { mint, owner, state: 'initialized', tokenAmount } }
    return { pubkey: address, account: { owner: programId, data: { program: 'spl-token', parsed } } }
  })
  return { result: withSlot(last, accounts) }
}

/** The account at an address: a mint, the name of a mint, a wallet, or nothing. */
function accountOf({ plan, bank, tokens }: SolanaWorld, address: string): unknown {
  const mints = plan.listings === undefined ? tokens : [...tokens, dollarMint]
  const token = mints.find(({ mint }) => mint === address)
  if (token !== undefined) return mintOf(token)
  const named = mints.find(({ mint, program }) => program === mainnet.token && metadataAddressOf(mint) === address)
  if (named !== undefined) return { owner: metaplex, lamports: 1, data: [metadataOf(named), 'base64'] }
  const lamports = bank.balanceOf(address)
  return lamports === 0n ? null : { owner: mainnet.system, lamports, data: ['', 'base64'] }
}

/** A mint as a node parses it. Those of the second program hold their own name. */
function mintOf({ program, decimals, name, symbol }: typeof dollarMint | SolanaToken): unknown {
  // An extension without fields has no state.
  const extensions = [
    { extension: 'nonTransferable' },
    { extension: 'tokenMetadata', state: { name, symbol, uri: '' } },
  ]
  const info = { decimals, supply: '1', isInitialized: true, ...(program === mainnet.token2022 ? { extensions } : {}) }
  return { owner: program, lamports: 1, data: { program: 'spl-token', parsed: { type: 'mint', info } } }
}
