import { rtdsHost } from '#sources/markets/polymarket/hosts.ts'
import { HELLO, PING, pushedType } from '#sources/markets/polymarket/wire/push_messages.ts'
import { decided, type Probe, type ProbeTools } from '#sources/markets/probe.ts'

const SILENCE_S = 15

/** The facts of the pushed trades, which listening decides. */
export const pushProbes: readonly Probe[] = [
  { fact: 'the venue pushes trades of the type trades', run: async (tools) => ofType(await heard(tools), 'trades') },
  {
    fact: 'the venue pushes trades of the type orders_matched',
    run: async (tools) => ofType(await heard(tools), 'orders_matched'),
  },
]

type Counts = Map<string, number>

const ofType = (counts: Counts, type: string) => {
  const n = counts.get(type) ?? 0
  const others = [...counts].map(([name, count]) => `${count} of ${name}`)
  return decided(n > 0, others.length === 0 ? 'no messages' : `received ${others.join(', ')}`)
}

const listened = new WeakMap<ProbeTools, Promise<Counts>>()

/** The messages by their type. All probes listen once. */
function heard(tools: ProbeTools): Promise<Counts> {
  const listening = listened.get(tools) ?? listen(tools)
  listened.set(tools, listening)
  return listening
}

async function listen({ streams, listen_ms }: ProbeTools): Promise<Counts> {
  const counts: Counts = new Map()
  const signal = AbortSignal.timeout(listen_ms)
  const next = () => ({ host: rtdsHost.name, path: '', hello: HELLO, ping: PING })
  for await (const texts of streams({ next }, { silence_s: SILENCE_S, signal })) {
    for (const text of texts) {
      const type = pushedType(text)
      if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1)
    }
  }
  return counts
}
