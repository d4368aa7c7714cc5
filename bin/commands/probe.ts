import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import { createStreams } from '#ingest/http/stream.ts'
import { connectWebSocket } from '#ingest/http/websocket.ts'
import { venueSources } from '#sources/markets/index.ts'
import { runProbes } from '#sources/markets/probe.ts'
import { machineClock, machineTimers } from '#time.ts'

const probed = venueSources.filter(({ probes }) => probes.length > 0)

/** A probe is no reading: a host that does not answer is reported, and not waited for. */
const attempts = 2

/** `tapeline probe`: tests against a venue what only documentation states. It stores nothing. */
export const probe = defineCommand({
  summary: 'Test the unverified facts of a venue against it.',
  define: (command) =>
    command
      .addArgument(command.createArgument('<venue>', 'The venue.').choices(probed.map((folder) => folder.venue)))
      .option('--listen <seconds>', 'Count pushed messages for this time; 60 by default.', secondsOf)
      .option('--json', 'Write JSON.'),
  run: async ({ json = false, listen = 60 }, { hosts }, [venue]) => {
    const http = createHttp({ hosts, random: Math.random, limits: { attempts }, ...machineTimers })
    const streams = createStreams({ hosts, connect: connectWebSocket, random: Math.random, ...machineTimers })
    const get: Get = (request, shape) => http(request, shape)
    let n_wrong = 0
    const probes = probed.find((folder) => folder.venue === venue)?.probes ?? []
    const tools = { get, streams, clock: machineClock, listen_ms: listen * 1_000 }
    for await (const { fact, verdict, seen } of runProbes(probes, tools)) {
      if (verdict === 'not held') n_wrong += 1
      process.stdout.write(
        json ? `${JSON.stringify({ fact, verdict, seen })}\n` : `${verdict.padEnd(9)} ${fact}: ${seen}\n`,
      )
    }
    return n_wrong === 0 ? 0 : 1
  },
})

function secondsOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--listen ${text}: no time; expected seconds from 1 to 9999`)
  return Number(text)
}
