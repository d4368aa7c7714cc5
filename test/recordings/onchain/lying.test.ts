import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { findChain } from '#registry/chains/find_chain.ts'
import { receiptsOrNull } from '#sources/evm/rpc/blocks.ts'
import { proofOf } from '#sources/evm/rpc/proof.ts'
import { headerShape } from '#sources/evm/rpc/shapes.ts'
import { sized } from '#test/run/sized.ts'
import { lying, type Lies } from '#test/sources/evm/swaps/lies.ts'
import { readFinal, readerOver, type Node } from '#test/sources/evm/swaps/read_unit.ts'

import { folder, isRecorded, readJson } from './files.ts'
import { poolDayMined } from './pool_day.ts'
import { blocksOf, replayRpc } from './replay_rpc.ts'

const kinds = (['answer', 'block', 'log'] as const).flatMap((of) =>
  [true, false].flatMap((isSticky) => [0.05, 0.2, 0.5].map((share): Lies => ({ of, isSticky, share, seed: 5 }))),
)
/** One share of each kind, so that each share meets two kinds: the random worlds of `lying_nodes.test.ts` draw theirs. */
const inTurns = kinds.filter((_, n) => n % 3 === Math.floor(n / 3) % 3)

type Reading = Awaited<ReturnType<typeof readFinal>>
type Chain = { slug: string; node: Node; ranges: readonly { from: number; to: number }[] }

async function readingsOf({ slug, ranges }: Chain, nodes: readonly Node[]): Promise<Reading[]> {
  const { rpc } = readerOver(slug, nodes)
  const readings: Reading[] = []
  for (const range of ranges) readings.push(await readFinal(rpc, range))
  return readings
}

/** The readings of an honest node. */
async function truthOf(chain: Chain): Promise<Reading[]> {
  const truth = await readingsOf(chain, [chain.node])
  expect(new Set(truth.map(({ state }) => state))).toEqual(new Set(['complete']))
  return truth
}

/** Reads a chain through a node that lies, alone and beside an honest one, and compares the readings with true ones. */
async function assertEqual(chain: Chain, truth: readonly Reading[], lies: Lies): Promise<void> {
  const expected = truth.map((unit) => ({ ...unit, proof: expect.any(String) }))
  expect(await readingsOf(chain, [lying(chain.node, lies)])).toEqual(expected)
  expect(await readingsOf(chain, [lying(chain.node, lies), chain.node])).toEqual(expected)
}

const fixtures = 'subsquid__squid-sdk/evm/evm-rpc/test/fixtures'
const chains = ['ethereum', 'polygon', 'arbitrum']
const callShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })

/** The recorded blocks of chains with all their receipts. */
const recorded = isRecorded
  ? chains.flatMap((chain) =>
      readdirSync(join(folder, fixtures, chain)).map((block) => ({ chain, block: Number(block) })),
    )
  : []

const blockShape = z.looseObject({ transactions: z.array(z.looseObject({ hash: z.string() })) })
const receiptsShape = z.array(
  z.looseObject({ transactionHash: z.string(), logs: z.array(z.looseObject({ topics: z.array(z.string()) })) }),
)
const bodyOf = (chain: string, block: number, file: string): unknown => {
  const body = readJson(`${fixtures}/${chain}/${block}/${file}.json`) as { result?: unknown }
  return body.result ?? body
}

/** A node of one recorded block. */
function blockNode(chain: string, number: number): Node {
  const block = blockShape.parse(bodyOf(chain, number, 'block'))
  const receipts = receiptsShape.parse(bodyOf(chain, number, 'receipts'))
  const id = findChain(chain).id ?? 0
  const resultOf = ({ method, params: [first, isFull] }: z.output<typeof callShape>): object => {
    if (method === 'eth_chainId') return { result: `0x${id.toString(16)}` }
    if (method === 'eth_getBlockByNumber')
      return {
        result: isFull === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) },
      }
    if (method === 'eth_getBlockReceipts') return { result: receipts }
    if (method === 'eth_getTransactionByHash') return { result: block.transactions.find(({ hash }) => hash === first) }
    if (method === 'eth_getTransactionReceipt')
      return { result: receipts.find(({ transactionHash }) => transactionHash === first) }
    if (method !== 'eth_getLogs') return { error: { code: -32_601, message: `the method ${method} does not exist` } }
    const { topics } = z.object({ topics: z.tuple([z.array(z.string())]) }).parse(first)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    return { result: logs.filter((log) => topics[0].includes(log.topics[0] ?? '')) }
  }
  return (body) => {
    const asked = z.union([z.array(callShape), callShape]).parse(JSON.parse(body))
    const replyTo = (call: z.output<typeof callShape>) => ({ jsonrpc: '2.0', id: call.id, ...resultOf(call) })
    return JSON.stringify(Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked))
  }
}

describe.skipIf(!isRecorded)('recorded blocks', () => {
  test.each(recorded)('$chain $block: its receipts give its root, and fewer logs do not', ({ chain, block }) => {
    const header = headerShape.parse(bodyOf(chain, block, 'block'))
    const receipts = receiptsOrNull.parse(bodyOf(chain, block, 'receipts')) ?? []
    expect(proofOf(header, receipts, true)).toBe('root')
    for (const [n, receipt] of receipts.entries()) {
      if (receipt.logs.length === 0) continue
      const thin = receipts.with(n, { ...receipt, logs: receipt.logs.slice(1) })
      expect(() => proofOf(header, thin, true)).toThrow('do not agree with its header')
      break
    }
  })

  test.each(recorded)('$chain $block has the same rows through a node that lies', async ({ chain: slug, block }) => {
    const chain = { slug, node: blockNode(slug, block), ranges: [{ from: block, to: block + 1 }] }
    const truth = await truthOf(chain)
    for (const lies of kinds) await assertEqual(chain, truth, lies)
  })

  describe('a pool day', () => {
    let chain: Chain
    let truth: Reading[]
    beforeAll(async () => {
      const mined = poolDayMined()
      const { unit_blocks } = findChain('ethereum')
      const starts = new Set(blocksOf(mined).map((block) => block - (block % unit_blocks)))
      const ranges = [...starts].map((from) => ({ from, to: from + unit_blocks }))
      chain = { slug: 'ethereum', node: replayRpc(1, mined), ranges }
      truth = await truthOf(chain)
    })

    test.each(sized(kinds.slice(1, 2), inTurns, kinds))('has the same rows: $of, $isSticky, $share', (lies) =>
      assertEqual(chain, truth, lies),
    )
  })
})
