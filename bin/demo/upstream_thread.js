// The entry of the demo's simulated venue: a thread reads TypeScript only after it was told how.
import { register } from 'tsx/esm/api'

register()
await import('./upstream_world.ts')
