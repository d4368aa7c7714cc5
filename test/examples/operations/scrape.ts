/** A value of a metric at the instant of a scrape. Labels have the name of the metric as `__name__`. */
export type Sample = { labels: Readonly<Record<string, string>>; value: number }

/** The samples of one scrape, at an instant in seconds. */
export type Scrape = { at_s: number; samples: readonly Sample[] }

/** Parses Prometheus' text format. Throws for a line that is not in it, and for a metric that is declared twice. */
export function parseMetrics(text: string): Sample[] {
  const declared = new Set<string>()
  return text.split('\n').flatMap((line): Sample[] => {
    if (line === '') return []
    if (line.startsWith('#')) {
      if (line.startsWith('# TYPE') && declared.has(line)) throw new Error(`${line}: declared twice`)
      declared.add(line)
      return []
    }
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (match === null) throw new Error(`${line}: no sample; expected <name>{<labels>} <value>`)
    const [, name = '', body = '', value = ''] = match
    const labels = [...body.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
      key,
      JSON.parse(`"${text}"`) as string,
    ])
    return [{ labels: { ...Object.fromEntries(labels), __name__: name }, value: numberOf(value) }]
  })
}

const numberOf = (text: string): number =>
  text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : text === 'Nan' ? Number.NaN : Number(text)
