// A worker as a process of its own, so that tests can kill it at any moment. Its world stands still.
import { openWorking } from './engines.ts'

const [home, address, url, at] = process.argv.slice(2)
if (home === undefined || address === undefined || url === undefined || at === undefined) {
  throw new Error('usage: worker <home> <address of Temporal> <url of the world> <its time>')
}
const upstream = { gammaUrl: `${url}/gamma`, dataUrl: `${url}/data`, clobUrl: `${url}/clob` }
await openWorking({ home, upstream, clock: () => Number(at), address })
process.stdout.write('begun\n')
