import { chainOfVariable, nearestSlugs, rpcVariable } from './find_chain.ts'

/** The endpoints that the environment sets, by the slug of their chain. */
export type RpcUrls = Readonly<Record<string, readonly string[]>>

const prefix = 'RPC_'
const form = 'expected addresses that begin with http:// or https://, separated by commas'

/**
 * Parses the variables `RPC_<CHAIN>` of an environment: comma lists of URLs, which replace the chain's own. Returns a
 * sentence for each fault; none has a URL, since it may hold a key.
 */
export function parseRpcUrls(env: Readonly<Record<string, string | undefined>>): { urls: RpcUrls; faults: string[] } {
  const urls: Record<string, readonly string[]> = {}
  const faults: string[] = []
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix) || text === undefined) continue
    const chain = chainOfVariable(name)
    if (chain === undefined) {
      const wanted = name.slice(prefix.length).replaceAll('_', '-')
      const nearest = nearestSlugs(wanted).map((slug) => rpcVariable({ slug }))
      faults.push(`${name}: unknown chain; expected the slug of a chain, such as ${nearest.join(', ')}`)
      continue
    }
    const list = text.split(',').map((url) => url.trim())
    if (list.every(isHttp)) urls[chain.slug] = [...new Set(list)]
    else faults.push(`${name}: not a list of URLs; ${form}`)
  }
  return { urls, faults }
}

const isHttp = (url: string): boolean => URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
