import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the demo that runs over a home. */
export const demoHome = (home: string): string => join(home, 'demo')

const script = fileURLToPath(new URL('../tapeline.js', import.meta.url))

/** The command that creates a key for the demo of a home, to be pasted into another terminal in the same folder. */
export function keyCommand(home: string): string {
  const environment = resolve(home) === resolve('data') ? '' : `TAPELINE_HOME=${quote(resolve(home))} `
  return `${environment}node ${quote(relative('.', script))} key create --tier pro`
}

/** A word as a POSIX shell reads it. */
const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)
