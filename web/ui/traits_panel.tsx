import type { Trait } from '#web/client/details.ts'
import type { Answer } from '#web/client/visit.ts'

import { durationText, magnitude, percentText } from './figure.tsx'
import { Panel } from './panel.tsx'
import type { Load } from './use_load.ts'

type TraitsPanelProps = { archetype: string; about: string; load: Load<Answer<Trait[]>> }

/** The figures behind an archetype, each with the name of its definition. */
export function TraitsPanel({ archetype, about, load: { data, error } }: TraitsPanelProps) {
  return (
    <Panel
      title={`Why “${archetype.replaceAll('_', ' ')}”`}
      about={about}
      more={{ href: 'docs/metrics.md', text: 'The rules' }}
      error={error}
    >
      <Traits traits={data?.body ?? null} />
    </Panel>
  )
}

function Traits({ traits }: { traits: readonly Trait[] | null }) {
  if (traits === null) return <span class="skeleton" />
  if (traits.length === 0) return <p class="empty">No figure is stored for this address.</p>
  return (
    <dl class="traits">
      {traits.map(({ name, value }) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            <data class="figure" value={value} title={`${name}: ${value}`}>
              {textOf(name, value)}
            </data>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The name without its unit, which the figure shows. */
const wordsOf = (name: string): string =>
  name
    .replace(/^n_/, '')
    .replace(/_pct$/, '_rank')
    .replace(/_(usd|s)$/, '')
    .replaceAll('_', ' ')

/** Names state the unit: see docs/columns.md. */
function textOf(name: string, value: number): string {
  if (/_share$|^roi_/.test(name)) return percentText(value)
  if (name.endsWith('_usd')) return `$${magnitude(Math.abs(value))}`
  if (name.endsWith('_s')) return durationText(value)
  if (name.endsWith('_pct')) return `top ${Number(value.toPrecision(2))} %`
  return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(3)))
}
