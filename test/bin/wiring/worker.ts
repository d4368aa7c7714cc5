import { untilStopped } from '#bin/wiring/stopped.ts'

/** A command that hangs at its end where its argument is `hangs`. */
const stopped = untilStopped()
const busy = setInterval(() => undefined, 1_000)
process.stdout.write('ready\n')
await stopped
if (process.argv[2] !== 'hangs') clearInterval(busy)
