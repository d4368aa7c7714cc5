#!/usr/bin/env node
// The one file that is not TypeScript: it lets Node read the rest, then hands over.
import { register } from 'tsx/esm/api'

register()
const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
