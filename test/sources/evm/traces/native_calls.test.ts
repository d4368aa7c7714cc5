import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { callsOfFrames, callsOfTraces } from '#sources/evm/traces/native_calls.ts'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** A call of a made transaction, and the calls that it makes. */
type Made = {
  kind: 'call' | 'delegatecall' | 'staticcall' | 'callcode' | 'create' | 'selfdestruct'
  from: number
  to: number
  value: number
  fails: boolean
  calls: Made[]
}

const frameOf = ({ kind, from, to, value, fails, calls }: Made): Record<string, unknown> => ({
  type: kind.toUpperCase(),
  from: address(from),
  to: address(to),
  ...(kind === 'staticcall' ? {} : { value: hex(value) }),
  ...(fails ? { error: 'execution reverted' } : {}),
  ...(calls.length > 0 ? { calls: calls.map(frameOf) } : {}),
})

function tracesOf(made: Made, traceAddress: number[] = []): Record<string, unknown>[] {
  const { kind, from, to, value, fails, calls } = made
  const error = fails ? { error: 'Reverted' } : {}
  const below = calls.flatMap((call, n) => tracesOf(call, [...traceAddress, n]))
  const own = { traceAddress, ...error, subtraces: calls.length }
  if (kind === 'create')
    return [
      {
        type: 'create',
        action: { from: address(from), value: hex(value), init: '0x' },
        result: fails ? null : { address: address(to) },
        ...own,
      },
      ...below,
    ]
  if (kind === 'selfdestruct')
    return [
      {
        type: 'suicide',
        action: { address: address(from), refundAddress: address(to), balance: hex(value) },
        result: null,
        ...own,
      },
      ...below,
    ]
  return [
    { type: 'call', action: { callType: kind, from: address(from), to: address(to), value: hex(value) }, ...own },
    ...below,
  ]
}

/** The movements by the description of the EVM alone: a failed call undoes all below it. */
function movementsOf({ kind, from, to, value, fails, calls }: Made, isRoot = true): string[] {
  if (fails) return []
  const moves = ['call', 'create', 'selfdestruct'].includes(kind) && ((value > 0 && from !== to) || isRoot)
  return [
    ...(moves ? [`${address(from)} ${address(to)} ${value}`] : []),
    ...calls.flatMap((call) => movementsOf(call, false)),
  ]
}

const made: fc.Arbitrary<Made> = fc.letrec<{ call: Made }>((tie) => ({
  call: fc.record({
    kind: fc.constantFrom('call', 'call', 'call', 'delegatecall', 'staticcall', 'callcode', 'create', 'selfdestruct'),
    from: fc.nat(6),
    to: fc.nat(6),
    value: fc.nat(3),
    fails: fc.boolean(),
    calls: fc.oneof({ maxDepth: 4 }, fc.constant<Made[]>([]), fc.array(tie('call'), { maxLength: 4 })),
  }),
})).call

const root = made.map((call): Made => ({ ...call, kind: 'call', fails: false }))
const lines = (calls: ReturnType<typeof callsOfFrames>): string[] =>
  calls.map(({ sender, recipient, amount }) => `${sender} ${recipient} ${amount}`)

describe('the calls of a transaction that moved the native coin', () => {
  test('are the same by both methods: those that did not fail, nor any call above them', () => {
    let n = 0
    fc.assert(
      fc.property(root, (transaction) => {
        const expected = movementsOf(transaction)
        n += expected.length
        expect(lines(callsOfFrames(frameOf(transaction)))).toEqual(expected)
        expect(lines(callsOfTraces(tracesOf(transaction)))).toEqual(expected)
      }),
      { numRuns: 300, seed: 7 },
    )
    expect(n).toBeGreaterThan(400)
  })

  test('are read of a trace as deep as the EVM allows', () => {
    let call: Made = { kind: 'call', from: 1, to: 2, value: 1, fails: false, calls: [] }
    for (let depth = 0; depth < 1_024; depth++) call = { ...call, calls: [call] }
    expect(callsOfFrames(frameOf(call))).toHaveLength(1_025)
  })

  test.each([
    ['no frame', null],
    ['no sender', { type: 'CALL', to: address(1), value: '0x1' }],
    ['an amount that is no quantity', { type: 'CALL', from: address(1), to: address(2), value: 'many' }],
    ['a call below that is none', { type: 'CALL', from: address(1), to: address(2), calls: [7] }],
  ])('are refused of %s', (_, frame) => {
    expect(() => callsOfFrames(frame)).toThrow('trace: ')
  })

  test('are refused of a list with something else', () => {
    expect(() => callsOfTraces([{ type: 'call', traceAddress: 'x' }])).toThrow('trace: ')
  })
})
