const glossary = 'docs/glossary.md'

/** A word that the glossary replaces by `term`, in files below `folders`; everywhere when there are none. */
type Replaced = { word: string; term: string; folders: string[] }

/** Uses of words of the glossary's column "instead of", in paths, code, comments and docs. */
export function replacedWords(files: Map<string, string>): string[] {
  const rules = rulesOf(files.get(glossary) ?? '')
  return [...files].flatMap(([path, text]) => {
    if (path === glossary || text === '') return []
    const here = rules.filter(({ folders }) => folders.length === 0 || folders.some((name) => path.startsWith(name)))
    const terms = new Map(here.map(({ word, term }) => [word, term]))
    return [path, ...text.split('\n')].flatMap((line, index) =>
      wordsOf(line)
        .filter((word) => terms.has(word))
        .map((word) => `${path}:${index}: "${word}"; the glossary has: ${terms.get(word)}`),
    )
  })
}

/**
 * The rules of the glossary's table. A backticked word in the third column is a rule, `` `word` in `folder/` `` holds
 * for that folder alone; text without backticks is for readers.
 */
function rulesOf(page: string): Replaced[] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'))
  return rows.flatMap((row) => {
    const [, term = '', , insteadOf = ''] = row.split('|').map((cell) => cell.trim())
    return insteadOf.split(';').flatMap((item) => {
      const [words = '', folders = ''] = item.split(/ in (?=`)/)
      return quoted(words).map((word) => ({ word, term, folders: quoted(folders) }))
    })
  })
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
}

/** `maxLength_ms` has the words max, length and ms. */
function wordsOf(line: string): string[] {
  return line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
}
