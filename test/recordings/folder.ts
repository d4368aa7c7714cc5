import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A folder of the recorded answers of upstreams. They are not part of the repository; without them tests are skipped. */
export function openRecordings(name: 'prediction-markets' | 'onchain' | 'social' | 'polymarket-chain'): {
  folder: string
  isRecorded: boolean
} {
  const folder = join(resolve(process.env['RECORDINGS_DIR'] ?? '../shared/recordings'), name)
  const isRecorded = existsSync(folder)
  if (!isRecorded) console.warn(`skipped: the recordings ${folder} are missing; RECORDINGS_DIR names their folder`)
  return { folder, isRecorded }
}
