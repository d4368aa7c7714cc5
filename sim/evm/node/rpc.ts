import { Agent, request } from 'node:http'

import { z } from 'zod'

/** Calls the JSON-RPC methods of a node of this machine. A call that fails is an error with the name of its method. */
export type NodeRpc = {
  call: (method: string, ...params: readonly unknown[]) => Promise<unknown>
  /** Several calls in one request; results in their order. The node may run them at the same time. */
  batch: (calls: readonly NodeCall[]) => Promise<unknown[]>
  /** As `batch`, with undefined for a call that fails. */
  settle: (calls: readonly NodeCall[]) => Promise<unknown[]>
  close: () => void
}

export type NodeCall = readonly [method: string, ...params: readonly unknown[]]

const reply = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})
const replies = z.array(reply)

/** Opens a connection that stays open between calls. */
export function openRpc(url: string): NodeRpc {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answersOf = async (calls: readonly NodeCall[]): Promise<z.infer<typeof reply>[]> => {
    if (calls.length === 0) return []
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const answers = replies.parse(JSON.parse(await post(url, agent, JSON.stringify(body))))
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return calls.map(([method], id) => {
      const answer = byId.get(id)
      if (answer === undefined) throw new Error(`${method}: no answer; expected one for each call`)
      return answer
    })
  }
  const batch = async (calls: readonly NodeCall[]): Promise<unknown[]> =>
    (await answersOf(calls)).map(({ result, error }, n) => {
      if (error !== undefined) throw new Error(`${calls[n]?.[0]}: ${error.message}; expected a result`)
      return result
    })
  const settle = async (calls: readonly NodeCall[]): Promise<unknown[]> =>
    (await answersOf(calls)).map(({ result, error }) => (error === undefined ? result : undefined))
  const call = async (...nodeCall: NodeCall): Promise<unknown> => {
    const [result] = await batch([nodeCall])
    return result
  }
  return { call, batch, settle, close: () => agent.destroy() }
}

const post = (url: string, agent: Agent, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asked = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
