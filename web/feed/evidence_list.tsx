import { useCallback } from 'preact/hooks'

import { readEvidence } from '#web/client/figures.ts'
import { magnitude } from '#web/ui/figure.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLoad } from '#web/ui/use_load.ts'

type EvidenceListProps = { id: string; tier: string; isMasked: boolean }

/** The facts behind a signal, which are read when the signal is opened. */
export function EvidenceList({ id, tier, isMasked }: EvidenceListProps) {
  const read = useCallback(() => readEvidence({ id }), [id])
  const { data, error } = useLoad(read)
  if (isMasked) return <p class="soft">The address and the evidence are shown to accounts of the tier {tier}.</p>
  return (
    <>
      <Failure message={error} />
      {data === null && error === null && <span class="skeleton" />}
      {data?.body.length === 0 && <p class="soft">No facts are stored for this signal.</p>}
      {data !== null && data.body.length > 0 && (
        <ul class="evidence">
          {data.body.map(({ n, kind, ref, timestamp, value }) => (
            <li key={n}>
              <span>{kind.replaceAll('_', ' ')}</span>
              <data class="figure" value={value} title={String(value)}>
                {Math.abs(value) < 10 ? String(Number(value.toFixed(3))) : magnitude(value)}
              </data>
              <Moment at={timestamp} />
              <code>{ref}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
