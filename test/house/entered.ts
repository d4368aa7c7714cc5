import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A getter that the loader of the tests makes for each exported name. It is no function of the file. */
const getter = /^\(\) => \{ try \{ return \w+ \} catch/

/**
 * The files of which each run of the work entered a function, by their paths from the root of the repository. V8 counts
 * the calls. The work runs several times, and a file that only some runs entered was entered by something else, such as
 * a timer.
 */
export async function filesEntered(work: () => Promise<unknown>, runs = 3): Promise<string[]> {
  const session = new Session()
  session.connect()
  await session.post('Debugger.enable')
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    const entered: Set<string>[] = []
    for (let run = 0; run < runs; run++) {
      await session.post('Profiler.takePreciseCoverage')
      await work()
      entered.push(await calledIn(session))
    }
    const [first = new Set<string>(), ...others] = entered
    return [...first].filter((path) => others.every((paths) => paths.has(path))).toSorted()
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}

/** The files with a function that was called since the last look. */
async function calledIn(session: Session): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const paths = new Set<string>()
  for (const { url, scriptId, functions } of result) {
    if (!url.startsWith('file:') || url.includes('/node_modules/')) continue
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const isEntered = functions.some(
      ({ ranges: [range] }) =>
        range !== undefined && range.count > 0 && !getter.test(scriptSource.slice(range.startOffset, range.endOffset)),
    )
    if (isEntered) paths.add(relative(process.cwd(), fileURLToPath(url)))
  }
  return paths
}
