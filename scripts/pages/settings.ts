import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { settingsOf } from '#config.ts'

import { fill, table } from './markdown.ts'

const running = resolve(import.meta.dirname, '..', '..', 'docs', 'running.md')
/** The settings of which there is one for each chain or host. */
const families = [
  {
    name: '<HOST>_URL',
    fallback: 'the public address',
    doc: 'Another address of a host, such as `POLYMARKET_DATA_URL`: see [hosts](sources.md#hosts)',
  },
  {
    name: 'RPC_<CHAIN>',
    fallback: 'the endpoints of the registry',
    doc: 'URLs of nodes, separated by commas, such as `RPC_ETHEREUM`: see [chains](chains.md)',
  },
]

/** `docs/running.md`: a handwritten page. Its table of settings, between two marks, is rendered. */
export async function runningPage(): Promise<string> {
  const code = (text: string): string => (text.startsWith('the ') || text === '' ? text : `\`${text}\``)
  const listed = settingsOf().filter(({ page }) => page === 'running')
  const rows = [...listed, ...families].map(({ name, fallback, doc }) => [`\`${name}\``, code(fallback), doc])
  return fill(await readFile(running, 'utf8'), 'settings', table(['variable', 'default', 'effect'], rows))
}
