import type { Messenger } from './messenger.ts'
import { telegram } from './telegram.ts'

/** The messengers, each of which has a file in this folder. The first is shown to people without a messaging account. */
export const messengers: readonly [Messenger, ...Messenger[]] = [telegram]

/** The ids of the messengers. */
export const messengerIds = messengers.map(({ id }) => id)
