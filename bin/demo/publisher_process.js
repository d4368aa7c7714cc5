// The entry of the process that publishes for a demo: each process prepares the loading of TypeScript.
import { loadTypeScript } from '#bin/typescript.js'

await loadTypeScript()
await import('./publisher.ts')
