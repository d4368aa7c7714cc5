import { useCallback, useEffect, useState } from 'preact/hooks'

/** The parameters of the page's address. Links to another choice change them without a new document. */
export type PageQuery<T extends Record<string, string>> = {
  query: T
  /** The address of this page with some parameters changed. */
  hrefWith: (changes: Partial<T>) => string
  change: (changes: Partial<T>) => void
}

/** Reads the parameters that `presets` names from the address. */
export function useQuery<T extends Record<string, string>>(presets: T): PageQuery<T> {
  const [query, setQuery] = useState(() => queryOf(presets))
  useEffect(() => {
    const onBack = (): void => setQuery(queryOf(presets))
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [presets])
  const hrefWith = (changes: Partial<T>): string => hrefOf({ ...query, ...changes }, presets)
  const change = useCallback(
    (changes: Partial<T>): void => {
      setQuery((before) => {
        const next = { ...before, ...changes }
        history.pushState(null, '', hrefOf(next, presets))
        return next
      })
    },
    [presets],
  )
  return { query, hrefWith, change }
}

const queryOf = <T extends Record<string, string>>(presets: T): T => {
  const stated = new URLSearchParams(location.search)
  const entries = Object.entries(presets).map(([name, preset]) => [name, stated.get(name) ?? preset])
  return Object.fromEntries(entries) as T
}

const hrefOf = <T extends Record<string, string>>(query: T, presets: T): string => {
  const pairs = Object.entries(query).filter(([name, value]) => value !== presets[name])
  const search = new URLSearchParams(pairs).toString()
  return search === '' ? location.pathname : `${location.pathname}?${search}`
}
