import { afterAll, beforeAll, beforeEach } from 'vitest'

import type { Balances, ReadBalances } from '#api/live/balances.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { startService, type Service } from '#test/api/service.ts'

/** A wallet in EIP-55, and as the tables have it. */
export const shown = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
export const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
export const another = (i: number): string => `0x${String(i).padStart(40, '1')}`
export const usdc = findChain('base').stables[0] ?? ''

/** The figures of a wallet without trades. */
export const none = {
  tags: [],
  pnl: { realized_30d: 0, realized_all_time: 0, unranked_30d: 0, unranked_all_time: 0 },
  holdings: [],
  behavior_archetype: 'unproven',
}

type Profile = { status: number; json: Record<string, unknown>; coverage: unknown; message: unknown }

/** A service for the tests of a file, with one node for all chains. */
export function walletService() {
  /** Its balances, or its failure. */
  const node: { balances: Balances | null; asked: Parameters<ReadBalances>[0][] } = { balances: null, asked: [] }
  const readBalances: ReadBalances = async (of) => {
    node.asked.push(of)
    if (node.balances === null) throw new Error('the node is down')
    return node.balances
  }
  let started: Service
  beforeAll(async () => {
    started = await startService({ readBalances, rateFactor: 1_000 })
  })
  afterAll(() => started.stop())
  beforeEach(() => {
    Object.assign(node, { balances: null, asked: [] })
    started.clock.at += 60_000_000
  })
  return {
    node,
    service: () => started,
    lives: (held: Balances['held'], unread: string[] = []) => (node.balances = { held, unread }),
    profileOf: async (query: string): Promise<Profile> => {
      const { status, json, headers } = await started.ask(`/v1/wallet?${query}`)
      return { status, json, coverage: headers['x-coverage'], message: json['message'] }
    },
  }
}
