#!/usr/bin/env node
// The entry is JavaScript: it prepares the loading of TypeScript.
import { loadTypeScript } from './typescript.js'

await loadTypeScript()
const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
// A disk that hangs holds a thread of the process, which process.exit() would wait for.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 30_000).unref()
