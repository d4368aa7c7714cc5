import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { findAnvil } from './program.ts'
import { openRpc, type NodeRpc } from './rpc.ts'

/** A real node on this machine, with a new chain that grows only by `evm_mine`. */
export type LocalNode = Omit<NodeRpc, 'close'> & { url: string; close: () => Promise<void> }

export type NodeOptions = {
  chainId: number
  /** Seconds since 1970 of block 0. */
  start_s: number
  /** Accounts that the node signs for; they and their keys follow from the seed. */
  accounts: { number: number; seed: number }
  /** The states of older blocks are forgotten, so a reorganization can be as deep. */
  n_states?: number
}

/** As many states as most nodes keep. */
const usualStates = 128

/** Starts anvil on a free port. Transactions of a block keep the order in which they were sent. */
export async function startNode({
  chainId,
  start_s,
  accounts,
  n_states = usualStates,
}: NodeOptions): Promise<LocalNode> {
  const program = findAnvil()
  if (program === undefined) throw new Error('anvil: not installed; expected the development dependencies of npm ci')
  const flags = [
    '--port 0 --no-mining --order fifo --hardfork cancun --threads 1 --balance 100000 --gas-limit 4000000000',
    `--chain-id ${chainId} --timestamp ${start_s} --prune-history ${n_states}`,
    `--accounts ${accounts.number} --mnemonic-seed-unsafe ${accounts.seed}`,
  ].flatMap((line) => line.split(' '))
  const child = spawnBound(program, flags)
  const exited = once(child, 'exit')
  const ended = exited.then(() => Promise.reject(new Error('anvil: ended at its start; expected an address')))
  const url = await Promise.race([addressOf(child.stdout), ended])
  ended.catch(() => undefined)
  const rpc = openRpc(url)
  return {
    ...rpc,
    url,
    close: async () => {
      rpc.close()
      child.stdin.end()
      await exited
    },
  }
}

/**
 * Starts a program that ends when this process ends, however that is: a shell waits for the end of its own input, which
 * only this process holds open. Windows has no such shell; there the program ends with `close` alone.
 */
export function spawnBound(program: string, flags: readonly string[]) {
  if (process.platform === 'win32') {
    const child = spawn(program, flags, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.once('finish', () => child.kill())
    return child
  }
  const script = '"$0" "$@" </dev/null & node=$!; read -r _; kill -9 $node; wait $node 2>/dev/null'
  return spawn('sh', ['-c', script, program, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** The address that the node prints when it listens. The rest of its output is read and dropped. */
const addressOf = (output: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface(output).on('line', (line) => {
      const [, host] = /^Listening on (\S+)/.exec(line) ?? []
      if (host !== undefined) resolve(`http://${host}`)
    })
    output.once('error', reject)
  })
