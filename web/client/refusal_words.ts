const fields: Record<string, string> = {
  address: 'The address',
  id: 'The id',
  words: 'The words',
  symbol: 'The symbol',
}

/**
 * The message of a refused request in the words of a form: `items.0: invalid value "x"; expected …` reads
 * `Item 1: “x” is not accepted. Expected is …`. A message of another form stays as it is.
 */
export function refusalWords(message: string): string {
  const [, path = '', problem = '', expected = ''] = /^"?([\w.]+)"?: ([^;]+); expected (.+?)\.?$/s.exec(message) ?? []
  const value = /^invalid value "?(.*?)"?$/s.exec(problem)?.[1]
  if (path === '' || (value === undefined && problem !== 'missing' && problem !== 'empty')) return message
  const isWrong = value === undefined ? 'is needed' : `“${value}” is not accepted`
  const subject = subjectOf(path)
  return `${subject}${value === undefined ? ' ' : ': '}${isWrong}. Expected is ${expected}.`
}

/** `items.0` is the first item. */
function subjectOf(path: string): string {
  const [name = '', place] = path.split('.')
  if (place !== undefined && /^\d+$/.test(place)) {
    const noun = name.replace(/s$/, '')
    return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${Number(place) + 1}`
  }
  return fields[name] ?? `The ${name.replaceAll('_', ' ')}`
}
