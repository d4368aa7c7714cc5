import { join } from 'node:path'

import { openAccounts, secretOf, type Accounts } from '#accounts/accounts.ts'
import type { Config } from '#config.ts'
import type { Source } from '#ingest/source.ts'
import { authorSettings } from '#sources/social/author_ids.ts'

/** The store of accounts of an installation. */
export const openAccountsOf = ({ home, database }: Pick<Config, 'home' | 'database'>): Promise<Accounts> =>
  openAccounts(database ?? join(home, 'accounts.db'))

/**
 * The sources of a configuration. Those that hash authors without `TAPELINE_AUTHOR_SECRET` get the secret of the
 * installation, which is made once and lies in the store of accounts.
 */
export async function withAuthorSecret(config: Pick<Config, 'home' | 'database' | 'sources'>): Promise<Source[]> {
  if (!config.sources.some(lacksSecret)) return [...config.sources]
  const accounts = await openAccountsOf(config)
  try {
    const authorSecret = (await secretOf(accounts, 'authors')).toString('base64url')
    return config.sources.map((source) =>
      lacksSecret(source) ? { ...source, values: { ...source.values, authorSecret } } : source,
    )
  } finally {
    await accounts.destroy()
  }
}

/** The secret of the installation that makes the ids of signals. */
export async function signalSecretOf(config: Pick<Config, 'home' | 'database'>): Promise<Buffer> {
  const accounts = await openAccountsOf(config)
  try {
    return await secretOf(accounts, 'signals')
  } finally {
    await accounts.destroy()
  }
}

const lacksSecret = ({ settings, values }: Source): boolean =>
  settings?.['authorSecret'] === authorSettings.authorSecret && values?.['authorSecret'] === undefined
