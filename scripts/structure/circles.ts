import { posix } from 'node:path'

import { z } from 'zod'

const specifier =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\s*\(\s*'([^']+)'\s*[,)]/gm

const manifestShape = z.object({
  imports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).default({}),
})

/** Groups of files that import each other, directly or not. */
export function importCircles(files: Map<string, string>): string[] {
  const graph = importGraph(files)
  return components(graph)
    .filter((group) => group.length > 1 || group.some((path) => graph.get(path)?.includes(path)))
    .map((group) => group.toSorted().join(' <-> '))
}

/** The repository's files that each file of code imports. `import type` and `export … from` count as imports. */
export function importGraph(files: Map<string, string>): Map<string, string[]> {
  const aliases = aliasesOf(files.get('package.json') ?? '{}')
  const code = [...files].filter(([path]) => /\.(tsx?|js)$/.test(path))
  return new Map(
    code.map(([path, text]) => [path, importsOf(path, text, aliases).filter((target) => files.has(target))]),
  )
}

/** Maps `#name` of package.json to its files. The pattern `#*` is resolved by `importsOf`. */
function aliasesOf(manifest: string): Map<string, string[]> {
  const { imports } = manifestShape.parse(JSON.parse(manifest))
  return new Map(
    Object.entries(imports).map(([name, target]) => [
      name,
      (typeof target === 'string' ? [target] : Object.values(target)).map((path) => posix.normalize(path)),
    ]),
  )
}

function importsOf(path: string, text: string, aliases: Map<string, string[]>): string[] {
  return [...text.matchAll(specifier)].flatMap(([, from, bare, dynamic]) => {
    const name = from ?? bare ?? dynamic ?? ''
    if (name.startsWith('.')) return [posix.join(posix.dirname(path), name)]
    if (!name.startsWith('#')) return []
    return aliases.get(name) ?? [name.slice(1)]
  })
}

type Visit = { index: number; low: number; isOpen: boolean }

/** The strongly connected components of a graph, by Tarjan's algorithm. */
function components(graph: Map<string, string[]>): string[][] {
  const visits = new Map<string, Visit>()
  const open: string[] = []
  const groups: string[][] = []

  function visit(path: string): Visit {
    const here: Visit = { index: visits.size, low: visits.size, isOpen: true }
    visits.set(path, here)
    open.push(path)
    for (const target of graph.get(path) ?? []) {
      const there = visits.get(target)
      if (there === undefined) here.low = Math.min(here.low, visit(target).low)
      else if (there.isOpen) here.low = Math.min(here.low, there.index)
    }
    if (here.low === here.index) groups.push(close(path))
    return here
  }

  function close(path: string): string[] {
    const group = open.splice(open.indexOf(path))
    for (const member of group) {
      const visited = visits.get(member)
      if (visited !== undefined) visited.isOpen = false
    }
    return group
  }

  for (const path of graph.keys()) if (!visits.has(path)) visit(path)
  return groups
}
