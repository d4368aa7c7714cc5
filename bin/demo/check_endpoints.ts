import type { Endpoint } from '#api/contract/endpoint.ts'
import type { Service } from '#bin/wiring/service.ts'

/**
 * Calls every GET endpoint with the examples of its parameters. The demo is ready when all of them succeed. Throws an
 * error with the first answer of another status than 200.
 */
export async function checkEndpoints({ url, marts }: Pick<Service, 'url' | 'marts'>, key: string): Promise<void> {
  await marts.refresh()
  // Only processes that serve load the endpoints.
  const { endpoints } = await import('#api/endpoints/index.ts')
  for (const { path, parameters } of endpoints.filter(({ method }) => method === 'GET')) {
    const query = new URLSearchParams(examplesOf(parameters)).toString()
    const response = await fetch(`${url}/v1${path}?${query}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: status ${response.status}, ${await response.text()}; expected 200`)
  }
}

/** The examples of the parameters that have one. */
const examplesOf = (parameters: Endpoint['parameters']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, schema]) => {
      const example = schema.meta()?.['example']
      return typeof example === 'string' ? [[name, example]] : []
    }),
  )
