import type { Caller } from '#accounts/keys.ts'
import { mayUse, type EndpointName } from '#accounts/tiers.ts'
import { ApiError } from '#api/contract/errors.ts'

/** Throws a 403 if the tier of the caller does not include the endpoint. Every way to an endpoint asks here. */
export function assertMayUse({ tier }: Pick<Caller, 'tier'>, name: EndpointName): void {
  if (mayUse(tier, name)) return
  throw new ApiError('forbidden', `${name}: not in the tier "${tier}"; expected a tier that includes it.`)
}

/** Whether a caller may use any of the endpoints. */
export const mayUseAny = ({ tier }: Pick<Caller, 'tier'>, names: readonly EndpointName[]): boolean =>
  names.some((name) => mayUse(tier, name))
