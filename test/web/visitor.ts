import type { Locator, Page } from 'playwright-core'
import { z } from 'zod'

const list = z.array(z.record(z.string(), z.unknown()))

/** Reads a list of `/v1` as a visitor does, or as the page of a signed-in person. */
export async function readAsVisitor(page: Page, url: string, path: string): Promise<Record<string, unknown>[]> {
  const { token } = z
    .object({ token: z.string() })
    .parse(await (await page.request.post('/api/visit', { data: {}, headers: { origin: url } })).json())
  const answer = await page.request.get(`/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  return list.parse(await answer.json())
}

/** The exact figures of a part of the page, in their order. */
export const figuresOf = async (part: Locator): Promise<number[]> =>
  part.locator('data').evaluateAll((figures) => figures.map((figure) => Number(figure.getAttribute('value'))))
