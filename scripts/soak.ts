import { alerts } from './soak/alerts.ts'
import { examples } from './soak/examples.ts'
import { follow } from './soak/follow.ts'
import { hard } from './soak/hard.ts'
import { kill } from './soak/kill.ts'
import { memory } from './soak/memory.ts'
import { orders } from './soak/orders.ts'
import { proofs } from './soak/proofs.ts'
import { publications } from './soak/publications.ts'
import { rules } from './soak/rules.ts'
import { signals } from './soak/signals.ts'
import { skill } from './soak/skill.ts'
import { unit } from './soak/unit.ts'
import { validate } from './soak/validate.ts'

/** Checks that take too long for every run of the tests. Each throws on a failure. */
const soaks: Record<string, (args: readonly string[]) => Promise<void>> = {
  alerts,
  examples,
  follow,
  hard,
  kill,
  memory,
  orders,
  proofs,
  publications,
  rules,
  signals,
  skill,
  unit,
  validate,
}

/** All soaks, one after the other. */
async function all(): Promise<void> {
  for (const [each, soak] of Object.entries(soaks)) {
    console.log(`=== ${each}`)
    await soak([])
  }
}

/** `npm run soak -- <name> [options]`; without a name it lists them, and `all` runs each with its defaults. */
const [name, ...args] = process.argv.slice(2)
const soak = name === 'all' ? all : name === undefined ? undefined : soaks[name]
if (name === undefined) console.log([...Object.keys(soaks), 'all'].join('\n'))
else if (soak === undefined) {
  console.error(`there is no soak ${name}; there are: ${Object.keys(soaks).join(', ')}`)
  process.exitCode = 1
} else await soak(args)
