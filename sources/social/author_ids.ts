import { createHmac } from 'node:crypto'

import { z } from 'zod'

import type { Settings } from '#ingest/setting.ts'

/**
 * The setting of every source that reads people. Unset, the installation makes a secret once and keeps it with the
 * accounts, so it is neither in the lake nor in a log.
 */
export const authorSettings = {
  authorSecret: {
    name: 'TAPELINE_AUTHOR_SECRET',
    shape: z
      .string()
      .regex(/^[\x21-\x7e]{32,}$/, 'expected a secret of at least 32 characters, without spaces')
      .optional(),
    doc: 'The secret under which ids of authors are hashed; by default the installation makes its own',
    isSecret: true,
  },
} satisfies Settings

/** The hash of an account of a platform, 22 characters. It cannot be reversed without the secret. */
export type AuthorIds = (platform: string, account: string) => string

/** Throws without a secret, since a hash without one could be reversed by trying all accounts. */
export function authorIds(secret: string | undefined): AuthorIds {
  if (secret === undefined) throw new Error('TAPELINE_AUTHOR_SECRET: not set; expected the secret of the installation')
  return (platform, account) =>
    createHmac('sha256', secret).update(`${platform}\0${account}`).digest('base64url').slice(0, 22)
}
