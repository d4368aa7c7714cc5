import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { z } from 'zod'

import { count } from '#bin/report/progress.ts'

import type { ChainsAnnouncement, ChainsSettings } from './chains_world.ts'

const announcementShape = z.object({
  settings: z.record(z.string(), z.string()),
  real: z.object({ n_wallets: z.number(), n_blocks: z.number() }).nullable(),
}) satisfies z.ZodType<ChainsAnnouncement>

/** The simulated chains of a demo, which run beside the pipeline. Their clock is stopped until `run`. */
export type DemoChains = {
  /** The settings `RPC_<CHAIN>` with the addresses of the nodes. */
  settings: Record<string, string>
  /** The chains in words: which of them a real node has, and the reason if there is none. */
  text: string
  run: () => void
  close: () => Promise<unknown>
}

/**
 * Starts the simulated chains in a thread of their own: Ethereum on anvil with the real contracts of Uniswap, and further
 * chains on a light server. Without anvil the light server answers for Ethereum too.
 */
export async function startChains(settings: ChainsSettings): Promise<DemoChains> {
  const worker = new Worker(new URL('./chains_thread.js', import.meta.url), { workerData: settings })
  const [message] = await once(worker, 'message')
  const { settings: urls, real } = announcementShape.parse(message)
  const slugs = Object.keys(urls).map((name) => name.replace('RPC_', '').toLowerCase())
  const light = slugs.filter((slug) => real === null || slug !== 'ethereum').join(', ')
  const text =
    real === null
      ? `anvil: not installed for ${process.platform} ${process.arch}; a light server simulates ${light}`
      : `ethereum on anvil: ${count(real.n_blocks)} blocks, ${count(real.n_wallets)} wallets; a light server simulates ${light}`
  return { settings: urls, text, run: () => worker.postMessage('run'), close: () => worker.terminate() }
}
