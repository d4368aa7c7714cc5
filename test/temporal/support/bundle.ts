import { writeFile } from 'node:fs/promises'

import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

import { workflowsPath } from '#bin/wiring/engine.ts'
import { bundleOptions } from '#engine/temporal_worker.ts'
import { oncePerRun } from '#test/run/once.ts'

/** The bundle of all workflows, shared by the workers of a run; undefined outside a run, where each worker bundles. */
export async function sharedBundle(): Promise<{ codePath: string } | undefined> {
  const codePath = await oncePerRun('workflows.cjs', writeBundle)
  return codePath === undefined ? undefined : { codePath }
}

async function writeBundle(path: string): Promise<void> {
  const logger = new DefaultLogger('ERROR', () => undefined)
  const { code } = await bundleWorkflowCode({ ...bundleOptions(workflowsPath), logger })
  await writeFile(path, code)
}
