// A worker with the planted sources as a process of its own, so that a test can kill it at any moment.
import { openPlanted, type PlantedSettings } from './open_planted.ts'

const [address, settings] = process.argv.slice(2)
if (address === undefined || settings === undefined) {
  throw new Error('usage: worker <address of Temporal> <settings as JSON>')
}
await openPlanted({ ...(JSON.parse(settings) as PlantedSettings), address })
process.stdout.write('begun\n')
