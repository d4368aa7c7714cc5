import { z } from 'zod'

const listShape = z.looseObject({ result: z.array(z.looseObject({ signature: z.string() })).min(1) })

/** An answer that lists signatures, without some of them. */
export function withoutSignatures(answer: unknown, left: ReadonlySet<string>): unknown {
  const list = listShape.safeParse(answer).data
  if (list === undefined || left.size === 0) return answer
  return { ...list, result: list.result.filter(({ signature }) => !left.has(signature)) }
}

/** The answers of a node that is busy, broken, behind, or without its old blocks. */
export function faultyAnswer(n: number): Response {
  if (n === 0) return new Response('Too many requests for a specific RPC call', { status: 429 })
  if (n === 1) return new Response('<html>Bad gateway</html>')
  const [code, message] =
    n === 2 ? [-32_005, 'Node is behind by 42 slots'] : [-32_004, 'Block not available for slot 9']
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } }))
}

const blockShape = z.looseObject({ blockhash: z.string(), transactions: z.array(z.unknown()).optional() })

/** An answer that lacks a block of a list, is null, or repeats a transaction. */
export function lieAbout(answer: unknown, how: number): unknown {
  const { result, ...rest } = z.looseObject({ result: z.unknown().optional() }).parse(answer)
  if (Array.isArray(result)) return { ...rest, result: result.toSpliced(how, 1) }
  const block = blockShape.safeParse(result).data
  if (block?.transactions === undefined || how === 0) return { ...rest, result: how === 1 ? result : null }
  return { ...rest, result: { ...block, transactions: [...block.transactions, ...block.transactions.slice(-how)] } }
}
