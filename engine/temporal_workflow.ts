/**
 * The primitives of `embedded_workflow.ts` as Temporal offers them. The bundle of a worker takes this file for `#engine`: the
 * same workflow files run on both.
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
