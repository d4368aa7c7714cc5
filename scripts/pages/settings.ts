import { settingsOf } from '#config.ts'

import { table } from './markdown.ts'

const begin = '<!-- settings: rendered from `config.ts` and the declared hosts by `npm run docs` -->'
const end = '<!-- /settings -->'

/** The table of settings in a page that is otherwise written by hand: what is between its two marks is replaced. */
export function withSettings(page: string): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`docs/running.md: expected ${begin} and ${end}`)
  const code = (text: string): string => (text.startsWith('the ') || text === '' ? text : `\`${text}\``)
  const rows = settingsOf().map(({ name, fallback, doc }) => [`\`${name}\``, code(fallback), doc])
  return [before, begin, '\n\n', table(['variable', 'default', 'what it sets'], rows), '\n\n', end, after].join('')
}
