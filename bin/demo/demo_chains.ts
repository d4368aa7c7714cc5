import { on } from 'node:events'
import { Worker } from 'node:worker_threads'

import { z } from 'zod'

import { count } from '#bin/report/progress.ts'

import type { ChainsAnnouncement, ChainsMade, ChainsSettings } from './chains_world.ts'

const messageShape = z.tuple([z.unknown()])
const announcementShape = z.object({
  settings: z.record(z.string(), z.string()),
}) satisfies z.ZodType<ChainsAnnouncement>
const madeShape = z.object({
  real: z.object({ n_wallets: z.number(), n_blocks: z.number() }).nullable(),
}) satisfies z.ZodType<ChainsMade>

/** The simulated chains of a demo, which run beside the pipeline. Their clock is stopped until `run`. */
export type DemoChains = {
  /** The settings `RPC_<CHAIN>` with the addresses of the nodes. */
  settings: Record<string, string>
  /**
   * The chains in words, once all are made and may be read: which of them a real node has, and the reason if there is
   * none.
   */
  made: Promise<string>
  run: () => void
  close: () => Promise<unknown>
}

/**
 * Starts the simulated chains in a thread of their own: Ethereum on anvil with the real contracts of Uniswap, and
 * further chains on a light server. Without anvil the light server answers for Ethereum too. Making Ethereum takes
 * seconds, which the caller may use: the addresses are known before.
 */
export async function startChains(settings: ChainsSettings): Promise<DemoChains> {
  const worker = new Worker(new URL('./chains_thread.js', import.meta.url), { workerData: settings })
  const messages = on(worker, 'message')
  const next = async (): Promise<unknown> => messageShape.parse((await messages.next()).value)[0]
  const { settings: urls } = announcementShape.parse(await next())
  const whenMade = async (): Promise<string> => {
    try {
      return describe(urls, madeShape.parse(await next()))
    } finally {
      // A later error of the thread ends the process.
      await messages.return?.()
    }
  }
  const made = whenMade()
  // A caller that ends early does not wait for it.
  made.catch(() => undefined)
  return { settings: urls, made, run: () => worker.postMessage('run'), close: () => worker.terminate() }
}

function describe(urls: Record<string, string>, { real }: ChainsMade): string {
  const slugs = Object.keys(urls).map((name) => name.replace('RPC_', '').toLowerCase())
  const light = slugs.filter((slug) => real === null || slug !== 'ethereum').join(', ')
  return real === null
    ? `anvil: not installed for ${process.platform} ${process.arch}; a light server simulates ${light}`
    : `ethereum on anvil: ${count(real.n_blocks)} blocks, ${count(real.n_wallets)} wallets; a light server simulates ${light}`
}
