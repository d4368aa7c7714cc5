import type { Endpoint } from '#api/contract/endpoint.ts'

/** The query of the parameters that an endpoint needs, with their documented examples: `?address=0x…`, or nothing. */
export function requiredQuery({ parameters }: Pick<Endpoint, 'parameters'>): string {
  const needed = Object.entries(parameters).filter(([, shape]) => !shape.safeParse(undefined).success)
  const query = new URLSearchParams(
    needed.map(([name, shape]): [string, string] => [name, String(shape.meta()?.['example'])]),
  )
  return needed.length === 0 ? '' : `?${query.toString()}`
}
