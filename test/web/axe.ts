import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { z } from 'zod'

const reportShape = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
  passes: z.array(z.object({ id: z.string() })),
})

/**
 * The faults of a page: the violations that axe finds, with the contrast of texts checked, and a width that needs
 * horizontal scrolling.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations, passes } = reportShape.parse(await page.evaluate('axe.run()'))
  expect([...passes, ...violations].map(({ id }) => id)).toContain('color-contrast')
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  return isWide === true ? [...found, 'horizontal scroll'] : found
}
