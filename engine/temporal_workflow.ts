/**
 * Temporal's versions of the primitives of `embedded_workflow.ts`. The bundle of a worker resolves `#engine` to this
 * file, so that the same workflow files run on both engines.
 */
export {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow'
