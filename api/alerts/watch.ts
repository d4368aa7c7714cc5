import { randomUUID } from 'node:crypto'

import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import { listOpenAlerts, storeEvaluations, type Evaluated, type OpenAlert } from '#accounts/alerts/firings.ts'
import { leaseOf } from '#accounts/messaging/lease.ts'
import { tierNames, tiers, type Tier } from '#accounts/tiers.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import { askedByAlerts } from '#snapshots/queries.ts'
import type { Clock } from '#time.ts'

import { messageOfFigures, messageOfSignal } from './messages.ts'
import { observe, signalsAfter, type SeenSignal } from './observe.ts'
import { evaluate, watchesFigures } from './thresholds.ts'

type Parts = { accounts: Accounts; marts: Pick<Marts, 'current'>; now: Clock; log: Logger }

/** Evaluates alerts on each publish. */
export type AlertWatch = { close: () => Promise<void> }

const look_ms = 200
const term_us = 20_000_000

/** Starts the evaluation. One node at a time does it; another one continues when its lease ends. */
export function watchAlerts(parts: Parts): AlertWatch {
  const { accounts, marts, now, log } = parts
  const lease = leaseOf(accounts, { name: 'alerts', owner: randomUUID(), term_us, now })
  let seen = ''
  let renewAt = 0
  let fault: string | null = null

  const look = async (): Promise<void> => {
    const id = `${marts.current('pulse')?.id} ${marts.current('scores')?.id}`
    // The lease is renewed also while nothing is published, but not with a write at each look.
    if (id === seen && now() < renewAt) return
    if (!(await lease.take())) return
    renewAt = now() + term_us / 4
    if (id === seen) return
    // Thousands of firings take longer than the term: another node would evaluate them again beside this one.
    if (await evaluateAlerts({ ...parts, goesOn: lease.take })) seen = id
  }
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(look).then(
      () => void (fault = null),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        if (message !== fault) log.error(error, 'alerts: not evaluated, will be retried')
        fault = message
      },
    )
  }, look_ms)
  return {
    close: async () => {
      clearInterval(timer)
      await last
      await lease.release()
    },
  }
}

/**
 * Evaluates all alerts on the current snapshots, and stores the states, the firings and their messages, for as long as
 * it `goesOn`. Returns whether all are stored.
 */
export async function evaluateAlerts({
  accounts,
  now,
  goesOn,
  ...parts
}: Omit<Parts, 'log'> & { goesOn: () => Promise<boolean> }): Promise<boolean> {
  const ofAlerts = (snapshot: Snapshot | null): Snapshot | null => snapshot && askedByAlerts(snapshot)
  const [pulse, scores] = [ofAlerts(parts.marts.current('pulse')), ofAlerts(parts.marts.current('scores'))]
  // The figures and the cause of a firing are of one instant, also while snapshots are replaced.
  const marts: Parts['marts'] = { current: (name) => (name === 'pulse' ? pulse : scores) }
  const alerts = await listOpenAlerts(accounts)
  if (alerts.length === 0) return true
  const figures = alerts.filter((alert) => watchesFigures(alert) && hasReceiver(alert))
  const entities = figures.flatMap(({ type, key }) => (key === null ? [] : [{ type, key }]))
  const observed = await observe(marts, entities)
  const instant = `${pulse?.id} ${scores?.id}`
  const ofFigures = figures.map((alert): Evaluated => {
    const observedFigures = observed({ type: alert.type, key: alert.key ?? '' })
    const { state, fires } = evaluate(alert, observedFigures)
    const firings = fires ? [{ cause: instant, text: messageOfFigures(alert, observedFigures) }] : []
    return { alert, state, firings }
  })
  const ofSignals = await evaluateSignals(
    alerts.filter((alert) => !watchesFigures(alert)),
    marts,
  )
  const changed = [...ofFigures, ...ofSignals].filter(
    ({ alert, state }) => JSON.stringify(state) !== JSON.stringify(alert.state),
  )
  return storeEvaluations(accounts, changed, { now: now(), goesOn })
}

/** An account without a chat, or whose tier has no alerts any more, gets no messages. */
const hasReceiver = ({ is_reachable, tier }: OpenAlert): boolean => is_reachable && tiers[tier].alerts > 0

/**
 * The evaluations of alerts that watch new signals: each signal that fits fires once. Without a receiver signals pass
 * unsent, so that a person who links a chat again does not get those of the time between.
 */
async function evaluateSignals(alerts: readonly OpenAlert[], marts: Parts['marts']): Promise<Evaluated[]> {
  const snapshot = marts.current('pulse')
  if (alerts.length === 0 || snapshot === null || !snapshot.tables.has('feed')) return []
  const from = Math.min(...alerts.map(({ state }) => state.seen_at))
  const byTier = new Map<Tier, SeenSignal[]>()
  for (const tier of tierNames.filter((name) => alerts.some((alert) => alert.tier === name)))
    byTier.set(tier, await signalsAfter(snapshot, tier, from))
  return alerts.map((alert) => {
    const signals = (byTier.get(alert.tier) ?? []).filter(({ at }) => at > alert.state.seen_at)
    const fitting = hasReceiver(alert) ? signals.filter((signal) => fits(alert, signal)) : []
    return {
      alert,
      state: { ...alert.state, seen_at: signals.at(-1)?.at ?? alert.state.seen_at },
      firings: fitting.map((signal) => ({ cause: signal.id, text: messageOfSignal(signal) })),
    }
  })
}

const fits = ({ type, key, threshold }: OpenAlert, signal: SeenSignal): boolean =>
  signal.type === type &&
  (key === null || signal.key === key || signal.symbol === key) &&
  signal.score >= Number(threshold['min_score'] ?? 0)
