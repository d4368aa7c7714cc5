// Loaded before a process: notes the seconds of the processor and the time at its first request, in FIRST_REQUEST.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'

const channels = ['http.client.request.start', 'undici:request:create']

const note = () => {
  for (const channel of channels) unsubscribe(channel, note)
  const { user, system } = process.cpuUsage()
  writeFileSync(process.env.FIRST_REQUEST ?? '', JSON.stringify({ cpu_s: (user + system) / 1e6, at_ms: Date.now() }))
}
for (const channel of channels) subscribe(channel, note)
