import { Parser } from 'htmlparser2'

/** Elements that stand on lines of their own: what follows one is on a new line too. */
const blocks = new Set('br p div ul ol li table tr td th h1 h2 h3 h4 h5 h6 blockquote figure figcaption pre'.split(' '))
/** Elements whose content is no text. */
const silent = new Set(['script', 'style', 'iframe', 'noscript', 'template'])

/**
 * The text of an HTML fragment: entities decoded, markup removed, with the addresses of links that their text does not
 * show.
 */
export function plainText(html: string): string {
  let text = ''
  let n_silent = 0
  const links: string[] = []
  const parser = new Parser({
    onopentagname: (name) => {
      if (silent.has(name)) n_silent += 1
      if (blocks.has(name)) text += '\n'
    },
    onattribute: (name, value) => {
      if (name === 'href' && /^https?:\/\//.test(value)) links.push(value)
    },
    ontext: (part) => {
      if (n_silent === 0) text += part
    },
    onclosetag: (name) => {
      if (silent.has(name)) n_silent = Math.max(0, n_silent - 1)
      if (blocks.has(name)) text += '\n'
    },
  })
  parser.end(html)
  const shown = [...new Set(links)].filter((link) => !text.includes(link))
  return [...text.split('\n'), ...shown]
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}
