// The entry of the process that builds: each process needs its own hook to load TypeScript.
import { register } from 'tsx/esm/api'

register()
await import('./serve_builds.ts')
