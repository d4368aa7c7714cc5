import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { settingsOf } from '#config.ts'

import { table } from './markdown.ts'

const running = resolve(import.meta.dirname, '..', '..', 'docs', 'running.md')
const begin = '<!-- settings: rendered from `config.ts` and the declared sources by `npm run docs` -->'
const end = '<!-- /settings -->'

/** The settings of chains, one for each. */
const rpc = {
  name: 'RPC_<CHAIN>',
  fallback: 'the endpoints of the registry',
  doc: 'URLs of nodes, separated by commas, such as `RPC_ETHEREUM`: see [chains](chains.md)',
}

/** `docs/running.md`: a handwritten page. Its table of settings, between two marks, is rendered. */
export async function runningPage(): Promise<string> {
  const page = await readFile(running, 'utf8')
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/running.md: marks missing; expected ${begin} and ${end}`)
  const code = (text: string): string => (text.startsWith('the ') || text === '' ? text : `\`${text}\``)
  const rows = [...settingsOf(), rpc].map(({ name, fallback, doc }) => [`\`${name}\``, code(fallback), doc])
  return [before, begin, '\n\n', table(['variable', 'default', 'effect'], rows), '\n\n', end, after].join('')
}
