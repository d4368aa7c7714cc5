import type { Client, Connection, WorkflowHandle, WorkflowStartOptions } from '@temporalio/client'

import type { Labels } from '#engine/engine.ts'

type StartLabelled = (workflow: string, labels: Labels, options: WorkflowStartOptions) => Promise<WorkflowHandle>

/** Starts workflows with their labels. */
export function labelledStart(client: Client, connection: Connection): StartLabelled {
  const labelled = createLabels(connection, client.options.namespace)
  return async (workflow, labels, options) => {
    const { searchAttributes, ...memo } = await labelled(labels)
    const attributes = searchAttributes === undefined ? {} : { searchAttributes }
    return client.workflow.start(workflow, { ...options, ...memo, ...attributes }).catch((error: unknown) => {
      // A server needs a moment to know a new search attribute.
      if (!isOfAttribute(error)) throw error
      return client.workflow.start(workflow, { ...options, ...memo })
    })
  }
}

/** A server refuses a run with a search attribute that it does not know. */
const isOfAttribute = (error: unknown): boolean =>
  error instanceof Error && /search attribute/i.test(`${error.message} ${String(error.cause)}`)

/** The labels that a list of runs can be filtered by, and their search attributes. */
const searched = { source: 'TapelineSource', part: 'TapelinePart' } as const

/** The number of the type Keyword in the API of the server. */
const keyword = 2

/** The labels of a run on a server: all in the memo, and those that are searched for as search attributes. */
type Labelled = { memo?: Record<string, string>; searchAttributes?: Record<string, string[]> }

/**
 * Creates the search attributes of a namespace, once. A server that does not let this client create them, such as
 * Temporal Cloud, has runs without those that are missing.
 */
function createLabels(connection: Connection, namespace: string): (labels: Labels) => Promise<Labelled> {
  let registered: Promise<ReadonlySet<string>> | undefined
  return async (labels) => {
    registered ??= createAttributes(connection, namespace).catch(() => new Set())
    const names = await registered
    const pairs = Object.entries(searched).flatMap(([label, name]): [string, string[]][] => {
      const value = labels[label]
      return value === undefined || !names.has(name) ? [] : [[name, [value]]]
    })
    return {
      ...(Object.keys(labels).length > 0 ? { memo: { ...labels } } : {}),
      ...(pairs.length > 0 ? { searchAttributes: Object.fromEntries(pairs) } : {}),
    }
  }
}

async function createAttributes(connection: Connection, namespace: string): Promise<ReadonlySet<string>> {
  const { operatorService: operator } = connection
  const listed = async (): Promise<Set<string>> => {
    const { customAttributes } = await operator.listSearchAttributes({ namespace })
    return new Set(Object.keys(customAttributes ?? {}))
  }
  const before = await listed()
  const missing = Object.values(searched).filter((name) => !before.has(name))
  if (missing.length === 0) return before
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]))
  // Another client may create them at the same time, and a server may refuse.
  await operator.addSearchAttributes({ namespace, searchAttributes }).catch(() => undefined)
  return listed()
}
