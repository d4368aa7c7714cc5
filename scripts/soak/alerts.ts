import { deepStrictEqual } from 'node:assert'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { complaintsOfFive, runFive } from '#test/api/messaging/five/five.ts'
import { complaintsOf } from '#test/api/messaging/storm/complaints.ts'
import { runStorm } from '#test/api/messaging/storm/storm.ts'
import { startPostgres } from '#test/lake/catalog/postgres.ts'

/**
 * `npm run soak -- alerts [--seed N] [--only SQLite|PostgreSQL]`: 10,000 alerts of 200 people fire, while every second
 * call to the messenger goes wrong and ten times a sender is killed between sending and marking; on SQLite, and on
 * PostgreSQL with two nodes. Each firing must arrive in its own chat, in order, and twice only where an answer was
 * lost. Then as many go over five messengers.
 */
export async function alerts(args: readonly string[]): Promise<void> {
  const options = { seed: { type: 'string', default: '1' }, only: { type: 'string' } } as const
  const { values } = parseArgs({ args: [...args], options })
  const size = { n_people: 200, n_alerts: 50, n_rounds: 1, n_kills: 10, seed: Number(values.seed) }
  const home = await mkdtemp(join(tmpdir(), 'tapeline-storm-'))
  const server = await startPostgres()
  try {
    const places = { SQLite: join(home, 'accounts.db'), PostgreSQL: await server.newDatabase() }
    for (const [name, place] of Object.entries(places)) {
      if (values.only !== undefined && values.only !== name) continue
      const aftermath = await runStorm({ place, n_nodes: name === 'PostgreSQL' ? 2 : 1, ...size })
      const { attempts, firings } = aftermath
      const n_of = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome).length
      const n_killed = attempts.filter(({ is_killed }) => is_killed).length
      const [calls, delivered, lost] = [attempts.length, n_of('delivered'), n_of('lost')]
      console.log(JSON.stringify({ name, firings: firings.length, calls, delivered, lost, n_killed }))
      deepStrictEqual(complaintsOf(aftermath), [])
      deepStrictEqual(n_killed, size.n_kills)
    }
    const fivePlaces = { SQLite: join(home, 'five.db'), PostgreSQL: await server.newDatabase() }
    for (const [name, place] of Object.entries(fivePlaces))
      if (values.only === undefined || values.only === name) await overFive(name, place, size.seed)
  } finally {
    await server.stop()
    await rm(home, { recursive: true })
  }
}

/** 10,000 alerts over five messengers, to 40 chats of each. */
async function overFive(name: string, place: string, seed: number): Promise<void> {
  const outcome = await runFive({ place, n_chats: 40, n_alerts: 50, n_kills: 10, seed })
  const { sent, underWay } = outcome
  const delivered = sent.filter((call) => call.outcome === 'delivered').length
  const lost = sent.filter((call) => call.outcome === 'lost').length
  console.log(JSON.stringify({ name, messengers: 5, calls: sent.length, delivered, lost, n_killed: underWay.length }))
  deepStrictEqual(complaintsOfFive(outcome), [])
  deepStrictEqual(underWay.length, 10)
}
