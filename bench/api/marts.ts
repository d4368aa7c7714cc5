import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import { fileDigest } from '#snapshots/digest.ts'
import { publicationNamed } from '#snapshots/publications.ts'
import { flip, writeSnapshot } from '#test/api/fixture.ts'

/** Changes with the rows below, so that marts with other rows are not reused. */
const version = 4

/**
 * A home with marts of `n` generated traders, each in every range and order of the leaderboard. No lake is behind
 * them. It is written once and stays in the temporary folder.
 */
export async function homeWithMarts(n: number): Promise<string> {
  const folder = join(tmpdir(), 'tapeline-bench', `marts-${n}-v${version}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  const marts = join(unfinished, 'marts')
  await mkdir(marts, { recursive: true })
  await writeSnapshot(marts, 'bench', { markets: Array.from({ length: 1_000 }, (_, i) => ({ id: `m${i}` })) })
  const file = join(marts, 'scores-bench.duckdb')
  await fill(file, n)
  await writeFile(join(marts, 'scores-bench.sha256'), await fileDigest(file))
  await flip(marts, 'bench')
  await rename(unfinished, folder)
  return folder
}

/** The address of a trader by its number. */
export const walletOf = (i: number): string => `0x${createHash('md5').update(String(i)).digest('hex')}00000000`

const wallet = "'0x' || md5(i::VARCHAR) || '00000000'"
/** A number in [0, 1) for each trader; `salt` makes uses independent. */
const chance = (salt: number): string => `(hash(i * 64 + ${salt}) / 18446744073709551616.0)`

/** Writes a file like that of a build, from an empty file with the same tables. */
async function fill(file: string, n: number): Promise<void> {
  const { block_bytes, group_rows } = publicationNamed('scores')
  const empty = `${file}.empty`
  await rename(file, empty)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`
    attach '${empty}' as empty (read_only);
    attach '${file}' as made (block_size ${block_bytes}, row_group_size ${group_rows});
    copy from database empty to made;
    create temp table traders as select i, ${wallet} as wallet,
      (${chance(1)} * 20000 - 9000)::DECIMAL(38,2) as pnl, ${chance(2)}::DECIMAL(9,6) as win_rate,
      (${chance(3)} * 20 - 8)::DECIMAL(9,6) as clv_score from range(${n}) as numbers(i);
    insert into made.marts.pm_traders select range, sort, row_number() over (partition by range, sort order by
        case sort when 'pnl' then pnl::DOUBLE when 'win_rate' then win_rate::DOUBLE else clv_score::DOUBLE end desc, wallet),
      wallet, pnl, win_rate, clv_score, 'generalist', 10, 0.4, 'close', 0.5, 20
      from traders, (select unnest(['30d', '90d', 'all']) as range), (select unnest(['pnl', 'win_rate', 'clv']) as sort)
      order by 1, 2, 3;
    insert into made.marts.pm_wallet select wallet, pnl, win_rate, clv_score, 10, 'generalist', true, null, null, 0, 10, 5, 0.5,
      0.4, 'close', 0.5, 20, 0.5, map {'hold': 1.5} from traders order by wallet;
    checkpoint made; detach made; detach empty`)
  connection.closeSync()
  instance.closeSync()
  await rm(empty)
}
