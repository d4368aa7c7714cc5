import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The processes of this machine, with their priority and their command line. */
export async function commandLines(): Promise<{ pid: number; ppid: number; nice: number; args: string }[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,ni=,stat=,args='], { maxBuffer: 1e7 })
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, nice, state = '', ...args] = line.trim().split(/ +/)
    // A killed process that its parent has not noticed yet has ended.
    return args.length === 0 || state.startsWith('Z')
      ? []
      : [{ pid: Number(pid), ppid: Number(ppid), nice: Number(nice), args: args.join(' ') }]
  })
}
