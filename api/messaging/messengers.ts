import { discord } from './discord.ts'
import { email } from './email.ts'
import type { Messenger } from './messenger.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

export { mailServerOf } from './email.ts'

/** The messengers, each of which has a file in this folder. The first is shown to people without a messaging account. */
export const messengers: readonly [Messenger, ...Messenger[]] = [telegram, discord, slack, email, webhook]

/** The ids of the messengers. */
export const messengerIds = messengers.map(({ id }) => id)

/** The name of a chat as people see it: a user name has an `@`. */
export const shownHandle = (platform: string, handle: string): string =>
  messengers.find(({ id }) => id === platform)?.linking === 'bot' ? `@${handle}` : handle

/** The form of what a person enters to link a chat. */
export const formOf = (messenger: Messenger): string =>
  messenger.linking === 'bot' ? messenger.usernameForm : messenger.addressForm
