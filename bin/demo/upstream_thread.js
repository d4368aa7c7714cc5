// The entry of the demo's simulated venue: each thread needs its own hook to load TypeScript.
import { register } from 'tsx/esm/api'

register()
await import('./upstream_world.ts')
