// Loaded into each process of a compared command (`--import`), so that two runs differ by their code alone.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

const { COMPARE_CLOCK = '', COMPARE_HASTE = '1' } = process.env
const at = Date.parse(COMPARE_CLOCK)
const haste = Number(COMPARE_HASTE)
if (Number.isNaN(at) || !(haste > 0)) throw new Error('COMPARE_CLOCK, COMPARE_HASTE: expected an instant and a factor')

// The machine's date stands still: instants of readings, builds and accounts are those of the world.
const MachineDate = Date
globalThis.Date = /** @type {DateConstructor} */ (
  class Date extends MachineDate {
    /** @param {[]} values */
    constructor(...values) {
      if (values.length === 0) super(at)
      else super(...values)
    }
    static now() {
      return at
    }
  }
)

// The secrets of an installation have 32 bytes. Ids of authors and signals are hashes under them.
const { randomBytes } = crypto
const secret = Buffer.alloc(32, 7)
crypto.randomBytes = (/** @type {number} */ size, /** @type {[]} */ ...rest) =>
  size === secret.length && rest.length === 0 ? Buffer.from(secret) : randomBytes(size, ...rest)

// A rate limit counts the time of `performance` and waits by `timers/promises`. Upstreams of a comparison need none.
const now = performance.now.bind(performance)
performance.now = () => now() * haste
const { setTimeout: sleep } = timers
timers.setTimeout = (ms = 0, ...rest) => sleep(ms / haste, ...rest)

// A live balance would be asked of the public nodes of the registry.
const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input)
  return hostname === '127.0.0.1' ? fetch(input, init) : Promise.reject(new TypeError(`${hostname}: not of this world`))
}
syncBuiltinESMExports()
