import { z } from 'zod'

import { alertTypes, createAlert, deleteAlert, listAlerts, type Alert } from '#accounts/alerts/alerts.ts'
import { tiers } from '#accounts/tiers.ts'
import { lastSignalAt, observe } from '#api/alerts/observe.ts'
import { baselineOf, entityKinds, thresholds, watchesFigures } from '#api/alerts/thresholds.ts'
import { byType, definePrivate, defineWrite } from '#api/contract/define.ts'
import { ApiError } from '#api/contract/errors.ts'
import { itemForms, itemPatterns, marketExample, parseItem } from '#api/contract/watchlist_items.ts'

const typeForm = `one of ${alertTypes.join(', ')}`
const threshold = z.record(z.string(), z.union([z.number(), z.string()]))

const alert = z
  .strictObject({
    id: z.string().meta({ description: 'The id, which `DELETE` takes' }),
    type: z.enum(alertTypes).meta({ description: 'The kind of alert' }),
    entity: z.string().meta({ description: 'The wallet, market or symbol; `*`: any' }),
    threshold: threshold.meta({ description: 'The conditions; `{}`: every new signal of the type and entity' }),
    active: z
      .boolean()
      .meta({ description: 'Whether messages reach the account: false after `/stop` or a blocked bot' }),
  })
  .meta({ id: 'Alert' })

const example: z.output<typeof alert> = {
  id: '5b0a3f0e-7a2e-4b57-9f4c-2f3d7a7f0c11',
  type: 'market',
  entity: marketExample,
  threshold: { price_above: 0.8 },
  active: true,
}

const formsOf = (type: Alert['type']): string => entityKinds[type].map((kind) => itemForms[kind]).join(', or ')

/** The rule of a type in JSON Schema. Conditions of figures need an entity. */
function ruleOf(type: Alert['type']): object {
  const item = entityKinds[type].map((kind) => itemPatterns[kind]).join('|')
  const { properties, additionalProperties } = z.toJSONSchema(thresholds[type])
  const conditions = { type: 'object', properties, additionalProperties }
  const any = { properties: { entity: { type: 'string', pattern: `^(\\*|${item})$` }, threshold: conditions } }
  if (!watchesFigures({ type, threshold: { any: 0 } })) return any
  const named = { properties: { entity: { type: 'string', pattern: `^(${item})$` } }, required: ['entity'] }
  const ofSignals = { properties: { threshold: { maxProperties: 0 } } }
  return { allOf: [any, { anyOf: [named, ofSignals] }] }
}

const newAlert = z
  .strictObject({
    type: z.enum(alertTypes, typeForm).meta({ description: `The kind of alert: ${typeForm}` }),
    entity: z
      .string('a text')
      .max(300, 'at most 300 characters')
      .meta({ description: 'The wallet, market or symbol to watch; `*` or none: any' })
      .optional(),
    threshold: threshold.meta({ description: 'The conditions, all of which must hold; by default none' }).optional(),
  })
  .superRefine(({ type, entity = '*', threshold: conditions = {} }, context) => {
    const fail = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message })
    if (entity !== '*' && itemOf(type, entity) === null) fail(['entity'], `\`*\`, or ${formsOf(type)}`)
    const parsed = thresholds[type].safeParse(conditions)
    const issue = parsed.error?.issues[0]
    if (issue?.code === 'unrecognized_keys')
      fail(
        ['threshold', issue.keys[0] ?? ''],
        `only ${Object.keys(thresholds[type].shape).join(', ')} for the type ${type}`,
      )
    else if (issue) fail(['threshold', ...issue.path.map(String)], issue.message)
    else if (entity === '*' && watchesFigures({ type, threshold: conditions }))
      fail(['entity'], `one entity, since conditions are given: ${formsOf(type)}`)
  })
  .meta({ id: 'NewAlert', allOf: byType(alertTypes, ruleOf) })

const itemOf = (type: Alert['type'], text: string) =>
  entityKinds[type].map((kind) => parseItem(kind, text)).find((item) => item !== null) ?? null

const present = ({ is_active, ...rest }: Alert): z.output<typeof alert> => ({ ...rest, active: is_active })

export const readAlerts = definePrivate({
  path: '/alerts',
  summary: 'List alerts',
  doc: 'Returns all alerts of the account, the newest first; alerts of one millisecond are ordered by `id`.',
  query: {},
  item: alert,
  isArray: true,
  example,
  read: async (_query, { accounts, caller }) => ({
    body: (await listAlerts(accounts, caller.account_id)).map(present),
    headers: [],
  }),
})

export const postAlert = defineWrite({
  method: 'POST',
  path: '/alerts',
  summary: 'Create an alert',
  doc: `Creates an alert, whose messages go to the linked messaging account. Without one the response is a 409
\`messaging_account_required\`. Conditions by type:

- \`wallet\`: \`pnl_change\`, US dollars of realized results on all chains and venues since the last firing or the creation;
  the sign is the direction;
- \`market\`: \`price_above\`, \`price_below\`, \`price_change\` (either way, since the last firing), \`volume_24h\`;
- \`signal\`: \`min_score\` from 0 to 100;
- \`social\`: \`mindshare_delta\`, percentage points over 7 days with a sign, and \`sentiment\`, \`bullish\` or \`bearish\`.

All given conditions must hold, and conditions on figures need an entity. Without conditions the alert fires on every new
signal of the type and entity. An alert fires once when its conditions begin to hold, and again after they have been
false; a change is measured anew from each firing. Alerts are evaluated on each publication. A message is sent at least
once, and in order; it is repeated only where the messenger's answer was lost.

A wallet of an alert is followed, as a wallet of a watchlist is. The tier limits the number of alerts: pro ${tiers.pro.alerts},
enterprise ${tiers.enterprise.alerts.toLocaleString('en')}. At the limit the response is a 409 \`limit_reached\`.`,
  query: {},
  body: newAlert,
  bodyExample: { type: example.type, entity: example.entity, threshold: example.threshold },
  item: alert,
  example,
  status: 201,
  headers: { Location: 'The URL that deletes the alert' },
  write: async ({ body }, { accounts, caller: { account_id, tier }, marts, now }) => {
    const { type, entity = '*', threshold: conditions = {} } = body
    const item = entity === '*' ? { shown: '*' } : (itemOf(type, entity) ?? { shown: entity })
    const address = 'address' in item && item.address !== undefined ? item.address : null
    const key = { type, key: address ?? item.shown }
    const figures = watchesFigures({ type, threshold: conditions }) ? (await observe(marts, [key]))(key) : null
    const state = {
      is_armed: true,
      baseline: figures && baselineOf({ type }, figures),
      seen_at: await lastSignalAt(marts),
    }
    const most = tiers[tier].alerts
    const draft = { account_id, type, entity: item.shown, address, threshold: conditions, state, most, now }
    const created = await createAlert(accounts, draft)
    if (created === 'unlinked')
      throw new ApiError(
        'messaging_account_required',
        'messaging: no linked account; expected a link, opened from the account settings.',
      )
    if (created === 'limit')
      throw new ApiError(
        'limit_reached',
        `alerts: the ${most} of the tier "${tier}" are in use; expected fewer: delete an alert first.`,
      )
    return { body: present(created), headers: [['Location', `/v1/alerts?id=${created.id}`]] }
  },
})

const idForm = 'the id of an alert'

export const removeAlert = defineWrite({
  method: 'DELETE',
  path: '/alerts',
  summary: 'Delete an alert',
  doc: `Deletes an alert of the account. An id that is unknown, deleted, or of another account is a 404: these are the
same response. Messages that wait are still sent.`,
  query: {
    id: z
      .string(idForm)
      .regex(/^[!-~]{1,64}$/, idForm)
      .meta({ description: `The alert: ${idForm}`, example: example.id }),
  },
  body: null,
  bodyExample: null,
  item: z
    .strictObject({
      deleted: z.boolean().meta({ description: 'The alert was deleted' }),
      id: z.string().meta({ description: 'The id of the deleted alert' }),
    })
    .meta({ id: 'DeletedAlert' }),
  example: { deleted: true, id: example.id },
  status: 200,
  headers: {},
  write: async ({ query: { id } }, { accounts, caller, now }) => {
    const isDeleted = await deleteAlert(accounts, { account_id: caller.account_id, id, now })
    if (!isDeleted) throw new ApiError('not_found', 'id: no alert of this account; expected an id of GET /alerts.')
    return { body: { deleted: true, id }, headers: [] }
  },
})
