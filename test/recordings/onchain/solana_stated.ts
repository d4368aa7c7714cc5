import { getBase58Encoder } from '@solana/codecs-strings'
import { z } from 'zod'

const instruction = z.looseObject({ data: z.string().optional(), programIdIndex: z.number().optional() })
const accounts = z.array(z.number()).default([])
const bodyShape = z.object({
  transaction: z.object({
    message: z.looseObject({ accountKeys: z.array(z.unknown()), instructions: z.array(instruction) }),
  }),
  meta: z.looseObject({
    logMessages: z.array(z.string()).default([]),
    innerInstructions: z.array(z.object({ instructions: z.array(instruction) })).default([]),
    loadedAddresses: z
      .object({ writable: z.array(z.string()), readonly: z.array(z.string()) })
      .default({ writable: [], readonly: [] }),
  }),
})

/** The numbers of the instructions that move tokens and lamports. */
const opcodes = { transfer: 3, transferChecked: 12, systemTransfer: 2 }

/**
 * The amounts that the payer of the fee gave and got, from the instructions without any balance. It gave the tokens of
 * the transfers that it signed, and the lamports that it sent to accounts of others. It got the tokens of the last
 * transfer, which ends a route.
 */
export function statedByTransfers(body: unknown): { given: bigint; got: bigint } {
  const { transaction, meta } = bodyShape.parse(body)
  const { writable, readonly } = meta.loadedAddresses
  const keys = [...transaction.message.accountKeys, ...writable, ...readonly].map(String)
  const all = [...transaction.message.instructions, ...meta.innerInstructions.flatMap((inner) => inner.instructions)]
  const moved = all.flatMap((one) => {
    const data = Buffer.from(getBase58Encoder().encode(one.data ?? ''))
    const at = accounts.parse(one['accounts'])
    const program = keys[one.programIdIndex ?? -1] ?? ''
    const isChecked = data[0] === opcodes.transferChecked
    if (program.startsWith('Token') && (isChecked || data[0] === opcodes.transfer))
      return {
        kind: 'token',
        from: at[0],
        to: at[isChecked ? 2 : 1],
        by: at[isChecked ? 3 : 2],
        amount: amountAt(data, 1),
      }
    if (/^1+$/.test(program) && data[0] === opcodes.systemTransfer)
      return { kind: 'system', from: at[0], to: at[1], by: at[0], amount: amountAt(data, 4) }
    return []
  })
  const signed = moved.filter(({ by }) => by === 0)
  const own = new Set(signed.flatMap(({ kind, from }) => (kind === 'token' ? [from] : [])))
  const given = signed.reduce(
    (sum, { kind, to, amount }) => (kind === 'system' && own.has(to) ? sum : sum + amount),
    0n,
  )
  return { given, got: moved.findLast(({ kind }) => kind === 'token')?.amount ?? 0n }
}

const amountAt = (data: Buffer, at: number): bigint => data.readBigUInt64LE(at)

/** The offset of the amounts in the event of a trade on Pump.fun: after its number and the mint. */
const offsets = { lamports: 40, tokens: 48, isBuy: 56 }
/** The first bytes of `sha256('event:TradeEvent')`. */
const tradeEvent = 'bddb7fd34ee661ee'

/** The trade that the program Pump.fun logs. `lamports` are those of the curve, before the fee of one percent. */
export function statedByPump(body: unknown): { lamports: bigint; tokens: bigint; isBuy: boolean } | undefined {
  for (const line of bodyShape.parse(body).meta.logMessages) {
    const data = Buffer.from(line.replace('Program data: ', ''), 'base64')
    if (!line.startsWith('Program data: ') || data.toString('hex', 0, 8) !== tradeEvent) continue
    const [lamports, tokens] = [amountAt(data, offsets.lamports), amountAt(data, offsets.tokens)]
    return { lamports, tokens, isBuy: data[offsets.isBuy] === 1 }
  }
  return undefined
}
