#!/usr/bin/env node
// The entry is JavaScript: it loads the bundle, or prepares the loading of TypeScript.
import { loadMain } from './bundle.js'

const { main } = await loadMain()
process.exitCode = await main(process.argv.slice(2))
// A disk that hangs holds a thread of the process, which process.exit() would wait for.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 30_000).unref()
