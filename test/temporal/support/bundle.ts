import { writeFile } from 'node:fs/promises'

import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

import { workflowsPath } from '#bin/wiring/engine.ts'
import { bundleOptions } from '#engine/temporal_worker.ts'
import { oncePerRun } from '#test/run/once.ts'

/** The bundle of all workflows, which the workers of a run share; undefined outside a run: each makes its own. */
export async function sharedBundle(): Promise<{ codePath: string } | undefined> {
  const codePath = await oncePerRun('workflows.cjs', async (path) => {
    const { bundlerOptions } = bundleOptions(workflowsPath)
    const logger = new DefaultLogger('ERROR', () => undefined)
    await writeFile(path, (await bundleWorkflowCode({ workflowsPath, logger, ...bundlerOptions })).code)
  })
  return codePath === undefined ? undefined : { codePath }
}
