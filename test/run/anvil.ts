import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { onTestFinished } from 'vitest'
import { z } from 'zod'

import { findAnvil } from '#sim/evm/node/program.ts'
import { spawnBound } from '#sim/evm/node/start_node.ts'

/** A real node on this machine, with a new chain. Blocks are mined on demand. */
export type Anvil = {
  url: string
  rpc: (method: string, ...params: readonly unknown[]) => Promise<unknown>
  /** Mines a block with one transaction for each list of calls of the emitter; returns its number. */
  mine: (emissions?: readonly Emission[]) => Promise<number>
}

/** A log of one topic and one word. */
export type Emission = { topic: string; word: bigint }

/** The id of its chain, which is that of Ethereum, so that the reader of Ethereum accepts it. */
const chainId = 1
/** A contract that emits the first word of its input as the topic of a log, and the second word as the data. */
const emitterCode = '0x60203560005260003560206000a100'
export const emitter = '0x00000000000000000000000000000000000e1177'
/** The first account that anvil unlocks. */
export const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

export const anvil = findAnvil()
if (anvil === undefined) console.warn('skipped: anvil is missing; npm ci installs it where it has a build')

const replyShape = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() })

/** Starts a node on a free port. It ends with the test. */
export async function startAnvil(): Promise<Anvil> {
  const flags = ['--port', '0', '--no-mining', '--chain-id', String(chainId), '--hardfork', 'cancun']
  const child = spawnBound(anvil ?? '', flags)
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.stdin.end()
    await exited
  })
  const url = await Promise.race([addressOf(child.stdout), exited.then(() => Promise.reject(new Error('anvil ended')))])

  const rpc: Anvil['rpc'] = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = replyShape.parse(await response.json())
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await rpc('anvil_setCode', emitter, emitterCode)
  const mine: Anvil['mine'] = async (emissions = []) => {
    for (const { topic, word } of emissions) {
      const data = `${topic}${word.toString(16).padStart(64, '0')}`
      await rpc('eth_sendTransaction', { from: sender, to: emitter, data, gas: '0x186a0' })
    }
    await rpc('evm_mine')
    return Number(await rpc('eth_blockNumber'))
  }
  return { url, rpc, mine }
}

/** The address that the node prints when it listens. The rest of its output is read and dropped. */
const addressOf = (output: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => {
    createInterface(output).on('line', (line) => {
      const [, host] = /^Listening on (\S+)/.exec(line) ?? []
      if (host !== undefined) resolve(`http://${host}`)
    })
  })
