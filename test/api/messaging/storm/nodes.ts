import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { loader } from '#test/run/loader.ts'

import { claim_ms } from './node.ts'

const script = join(import.meta.dirname, 'node.ts')

/** The processes that evaluate and send. A killed one is replaced, after its leases and claims have ended. */
export function openNodes(
  { place, n_nodes }: { place: string; n_nodes: number },
  { dir, url }: { dir: string; url: string },
) {
  const running = new Map<string, ChildProcess>()
  let [ahead, n_started, isEnding] = [0, 0, false]

  const startOne = (): void => {
    const name = `node-${++n_started}`
    const child = fork(script, [place, dir, `${url}/${name}`], { execArgv: [...loader] })
    child.send(ahead)
    running.set(name, child)
    child.once('exit', () => {
      running.delete(name)
      if (isEnding) return
      ahead += 2 * claim_ms * 1_000
      for (const other of running.values()) if (other.connected) other.send(ahead)
      startOne()
    })
  }
  return {
    start: () => {
      for (let n = 0; n < n_nodes; n++) startOne()
    },
    kill: (name: string) => void running.get(name)?.kill('SIGKILL'),
    end: async () => {
      isEnding = true
      await Promise.all(
        [...running.values()].map(async (child) => {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }),
      )
    },
  }
}
