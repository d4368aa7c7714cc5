import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { findAnvil } from '#sim/evm/node/program.ts'

export const swapTopic = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
export const pool = '0x00000000000000000000000000000000000e1178'

/** A node of this machine with blocks of 5 transactions, each with 20 swaps of Uniswap V3. */
export type LocalChain = { url: string; n_blocks: number; n_swaps: number; close: () => Promise<void> }

const perBlock = 5
const perTransaction = 20
/** A contract that emits its input as the data of so many swaps, with the caller as both parties. */
const poolCode = `0x365f5f37${`33337f${swapTopic.slice(2)}365fa3`.repeat(perTransaction)}00`

/** The sum of the first amounts of the first swaps: transaction `n` has so many of the amount `n`. */
export function sumOf(n_swaps: number): bigint {
  const n = BigInt(n_swaps / perTransaction)
  return (n * (n + 1n) * BigInt(perTransaction)) / 2n
}

/** Starts a node and fills it. */
export async function startLocalChain(n_blocks: number): Promise<LocalChain> {
  const program = findAnvil()
  if (program === undefined) throw new Error('anvil: missing; `npm ci` installs it where it has a build')
  const flags = ['--port', '0', '--no-mining', '--chain-id', '1', '--hardfork', 'cancun', '--gas-limit', '1000000000']
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const url = await Promise.race([addressOf(child.stdout), exited.then(() => Promise.reject(new Error('anvil ended')))])
  const send = async (calls: readonly (readonly [string, ...unknown[]])[]): Promise<unknown[]> => {
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const replies = (await response.json()) as { result?: unknown; error?: { message: string } }[]
    const failed = replies.find(({ error }) => error !== undefined)?.error
    if (failed !== undefined) throw new Error(`anvil: ${failed.message}`)
    return replies.map(({ result }) => result)
  }
  const [accounts] = (await send([['eth_accounts'], ['anvil_setCode', pool, poolCode]])) as [string[]]
  let n = 0
  for (let block = 0; block < n_blocks; block++) {
    const swaps = Array.from({ length: perBlock }, (_, k) => {
      const words = [BigInt(++n), BigInt(-n), 1n << 96n, 10n ** 18n, BigInt(n % 1_000)]
      const data = words.map((word) => BigInt.asUintN(256, word).toString(16).padStart(64, '0')).join('')
      const call = { from: accounts[k], to: pool, data: `0x${data}`, gas: '0x30d40' }
      return ['eth_sendTransaction', call] as const
    })
    await send([...swaps, ['evm_mine']])
  }
  const close = async (): Promise<void> => {
    child.kill()
    await exited
  }
  return { url, n_blocks, n_swaps: n * perTransaction, close }
}

const addressOf = (output: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => {
    createInterface(output).on('line', (line) => {
      const [, host] = /^Listening on (\S+)/.exec(line) ?? []
      if (host !== undefined) resolve(`http://${host}`)
    })
  })
