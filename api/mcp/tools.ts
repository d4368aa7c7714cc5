import { z } from 'zod'

import { mayCall } from '#accounts/visitors.ts'
import type { Readers } from '#api/chat/answering/readers.ts'
import type { SpendChat } from '#api/chat/serving/respond_ask.ts'
import type { As, Ask, AskEndpoint, Endpoint } from '#api/contract/endpoint.ts'
import { invalidRequest, quoted } from '#api/contract/errors.ts'
import { assertMayUse } from '#api/http/authenticate.ts'

/** A tool of the protocol: an endpoint that reads, or the assistant. Its names and schemas are those of REST. */
export type Tool = {
  name: string
  title: string
  description: string
  inputSchema: JsonObject
  /** Runs the tool as a caller. It throws the errors of REST. */
  call: (input: Record<string, unknown>, as: As) => Promise<Record<string, unknown>>
}

type JsonObject = { type: 'object'; [key: string]: unknown }

export type ToolParts = {
  endpoints: readonly Endpoint[]
  openReaders: (as: As) => Readers
  ask: Ask
  spendChat: SpendChat
}

/** The tools that a caller may use, in the order of the endpoints. Writes are no tools. */
export const toolsOf = (parts: ToolParts, { caller }: Pick<As, 'caller'>): Tool[] =>
  parts.endpoints
    .filter(({ name }) => mayCall(caller, name))
    .flatMap((endpoint) => {
      if (endpoint.method === 'GET') return [readTool(endpoint, parts)]
      return endpoint.kind === 'ask' ? [askTool(endpoint, parts)] : []
    })

/** The tool of a name, also of one that the tier of the caller lacks: its call then fails as REST does. */
export const toolNamed = (parts: ToolParts, name: string): Tool | undefined =>
  parts.endpoints
    .filter((endpoint) => endpoint.method === 'GET' || endpoint.kind === 'ask')
    .map((endpoint) => (endpoint.kind === 'ask' ? askTool(endpoint, parts) : readTool(endpoint, parts)))
    .find((tool) => tool.name === name)

const nameOf = ({ path }: Endpoint): string => path.slice(1).replaceAll(/[/-]/g, '_')

const described = (endpoint: Endpoint) => ({
  name: nameOf(endpoint),
  title: endpoint.summary,
  description: endpoint.doc,
})

const readTool = (endpoint: Endpoint, { openReaders }: ToolParts): Tool => ({
  ...described(endpoint),
  inputSchema: schemaOf(z.strictObject(endpoint.parameters)),
  call: async (input, as) => {
    const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
    const query = Object.fromEntries(entries.map(([name, value]) => [name, textOf(name, value)]))
    const { body, asOf, coverage, next } = await openReaders(as).get(endpoint.name, query, z.unknown())
    return {
      [endpoint.isArray ? 'items' : 'item']: body,
      data_as_of: asOf === null ? null : new Date(asOf / 1_000).toISOString(),
      ...(coverage === null ? {} : { coverage }),
      ...(next === null ? {} : { next_cursor: next }),
    }
  },
})

/** A parameter as text, as in a query string. A model may send a number or several symbols. */
const textOf = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value.join(',')
  throw invalidRequest(name, `invalid value ${quoted(value)}`, 'a text or a number')
}

const askTool = (endpoint: AskEndpoint, { ask, spendChat }: ToolParts): Tool => ({
  ...described(endpoint),
  inputSchema: schemaOf(z.strictObject(endpoint.body.schema.shape)),
  call: async (input, as) => {
    assertMayUse(as.caller, endpoint.name)
    const question = endpoint.body.schema.safeParse(input)
    const { success, data } = question
    if (!success) throw invalidRequest('query', 'invalid value', question.error.issues[0]?.message ?? 'a question')
    await spendChat(as.caller)
    const { body, headers } = await endpoint.ask(data, { ask, ...as })
    const asOf = headers.find(([name]) => name === 'X-Data-As-Of')?.[1] ?? null
    return { item: body, data_as_of: asOf }
  },
})

/** The input of a schema as JSON Schema; of a parameter that is parsed from text, the text. */
const schemaOf = (schema: z.ZodType): JsonObject =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
