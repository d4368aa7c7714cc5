import type { PnlDay } from '#web/client/details.ts'
import type { Answer } from '#web/client/visit.ts'

import { Panel } from './panel.tsx'
import { PnlChart } from './pnl_chart.tsx'
import type { Load } from './use_load.ts'

/** The time line of a trader or a wallet. */
export function PnlPanel({ about, load: { data, error } }: { about: string; load: Load<Answer<PnlDay[]>> }) {
  return (
    <Panel title="Profit and loss" about={about} error={error}>
      {data === null ? <span class="skeleton tall" /> : <PnlChart days={data.body} />}
    </Panel>
  )
}
