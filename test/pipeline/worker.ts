// A process of its own that reads a world into a lake, so that tests can kill it at any moment.
import { ingestAll, openTestPipeline } from './pipeline.ts'

const [home, url, at] = process.argv.slice(2)
if (home === undefined || url === undefined || at === undefined) throw new Error('usage: worker <home> <url> <at>')
const upstream = { gammaUrl: `${url}/gamma`, dataUrl: `${url}/data`, clobUrl: `${url}/clob` }
const pipeline = await openTestPipeline(home, upstream, () => Number(at))
process.stdout.write('begun\n')
await ingestAll(pipeline, Number(at))
process.stdout.write('done\n')
