import { expect, test } from 'vitest'

import { endpoints } from '#api/endpoints/index.ts'

import { noBrowser, openSite } from './site.ts'

const site = openSite()

test.skipIf(noBrowser)('the documentation shows every endpoint to a browser that runs no script', async () => {
  const { page } = await site.visit({ javaScriptEnabled: false })
  await page.goto('/docs')
  await page.getByRole('link', { name: 'documentation as text' }).click()
  await page.waitForURL('**/docs/api.md')
  const text = await page.locator('body').innerText()
  for (const { method, path } of endpoints) expect(text).toContain(`${method} /v1${path}`)
})

test.skipIf(noBrowser)('the documentation shows every endpoint to a browser that runs scripts', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/docs')
  for (const { path } of endpoints) await page.locator(`[data-path$="${path}"]`).first().waitFor()
  expect(faults).toEqual([])
})
