import { Client, Connection } from '@temporalio/client'
import { expect, it } from 'vitest'

import { startTemporal } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

describeOnTemporal('a development server', () => {
  it('keeps its workflows over a restart, on the same port', async () => {
    const server = await startTemporal()
    try {
      const first = new Client({ connection: await Connection.connect({ address: server.address }) })
      await first.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'one' })
      await first.connection.close()
      await server.restart()
      const second = new Client({ connection: await Connection.connect({ address: server.address }) })
      expect((await second.workflow.getHandle('one').describe()).status.name).toBe('RUNNING')
      await second.connection.close()
    } finally {
      await server.stop()
    }
    await expect(Connection.connect({ address: server.address, connectTimeout: 200 })).rejects.toThrow()
  })
})
