import { useState } from 'preact/hooks'

import type { Signal } from '#web/client/figures.ts'
import { marketHref, traderHref } from '#web/leaders/address.tsx'
import { shortAddress } from '#web/ui/figure.tsx'
import { Ago } from '#web/ui/moment.tsx'

import { EvidenceList } from './evidence_list.tsx'

/** The words of the types of signals. */
export const typeNames: Record<string, string> = {
  market: 'Odds',
  wallet: 'Trade',
  social: 'Attention',
  signal: 'Several',
}

type SignalItemProps = {
  signal: Signal
  /** The instant to which its age is measured. */
  asOf: string | null
  isFresh: boolean
}

/** A signal of the feed, which opens its evidence. */
export function SignalItem({ signal, asOf, isFresh }: SignalItemProps) {
  const [isOpen, setOpen] = useState(false)
  const { id, type, entity, timestamp } = signal
  return (
    <li class={isFresh ? 'signal fresh' : 'signal'}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="signal-head">
            <span class={`type type-${type}`}>{typeNames[type] ?? type}</span>
            <Ago at={timestamp} asOf={asOf} />
          </span>
          <Summary signal={signal} />
        </summary>
        <p class="soft">
          {entityName(type)} <Entity type={type} entity={entity} />
        </p>
        {isOpen && <EvidenceList id={id} tier={signal.tier_required} isMasked={isMasked(entity)} />}
      </details>
    </li>
  )
}

const entityName = (type: string): string => (type === 'wallet' ? 'Wallet' : type === 'market' ? 'Market' : 'Asset')

/** The entity, with the way to its page unless it is masked. */
function Entity({ type, entity }: { type: string; entity: string }) {
  const text = <code>{entity}</code>
  if (isMasked(entity) || !['wallet', 'market'].includes(type)) return text
  return <a href={type === 'market' ? marketHref(entity) : traderHref(entity)}>{text}</a>
}

const isMasked = (entity: string): boolean => entity.includes('…') || entity === 'market' || entity === 'asset'

/** The first sentence states the kind of the event, and the last ones its chance: both are set apart. */
function Summary({ signal: { summary, entity, type } }: { signal: Signal }) {
  const [, kind = '', event = '', chance = ''] = /^([^."]+\.) ?(.*?)( ?Score \d+:.*)?$/s.exec(summary) ?? []
  if (event === '')
    return (
      <span class="summary">
        {summary} {type === 'wallet' && <code>{shortAddress(entity)}</code>}
      </span>
    )
  return (
    <span class="summary">
      {event} <span class="soft">{`${kind} ${chance.trim()}`}</span>
    </span>
  )
}
