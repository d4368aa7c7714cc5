import { oneOf, saysAny, type Says } from '#api/chat/reading/phrases/phrases.ts'
import { messengerIds } from '#api/messaging/messengers.ts'

/** Whether a question asks for a change. A text in lower case with its entities replaced. */
export const asksForChange: Says = (text) => changes(text) && !ofPast(text) && !ofAdvice(text)

const verbs =
  oneOf(`create, make, add, set ?up, set, delete, remove, rename, change, update, upgrade, downgrade, cancel, revoke, regenerate
  rotate, unsubscribe, subscribe, put, move, drop, edit, clear, erase, wipe, mute, pause, silence, modify, stop, kill, switch, reset
  enable, disable, turn (?:on|off), generate, issue, raise, increase, lift, bump, link, unlink, connect, disconnect, get rid of`)
const objects =
  oneOf(`alerts?, alarms?, notifications?, reminders?, watch ?lists?, keys?, api keys?, tier, plan, subscription, account
  handle, password, e-?mail, ${messengerIds.join(', ')}, webhook, limits?, rate limits?, (?:my|our) (?:\\w+ )?lists?`)
const toNotify = oneOf(`alert, notify, ping, remind, warn, message, text, email, e-mail, t(?:ell)`)
const whenever = oneOf(`when, if, once, whenever, as soon, every, the moment`)
const thing = oneOf(
  `this, that, it, him, her, them, <address>, <asset>, <market>, the (?:wallet|trader|address|market)`,
)
const toList = String.raw`(?:on|onto|in|into|to) (?:my|our|the) (?:\w+ )?(?:watch ?)?lists?`
const fromList = String.raw`(?:off|out of|from) (?:of )?(?:my|our|the) (?:\w+ )?(?:watch ?)?lists?`

const changes = saysAny(
  new RegExp(String.raw`\b${verbs}\b.{0,60}\b${objects}(?!\w)`),
  new RegExp(String.raw`\b${toNotify} me ${whenever}\b`),
  /\b(?:alert|notify|ping|remind|warn|email|e-mail) me\b|\b(?:upgrade|downgrade) (?:to|from)\b/,
  /\blet me know (?:when|if|once|whenever|as soon)\b/,
  /\b(?:start|begin|stop) (?:following|tracking|watching|monitoring)\b/,
  /\b(?:un)?subscribe me\b|\bsign me up\b|\bremind me\b/,
  new RegExp(String.raw`\b(?:follow|unfollow|track|watch|monitor) ${thing}(?!\w)`),
  /\b(?:give|make|get) me (?:a|another) (?:new |second )?(?:key|api key|alert|watch ?list)\b/,
  /\b(?:upgrade|downgrade|promote) (?:me|my|us)\b/,
  /^\W*(?:please |pls |go |now |just )*(?:put|bet|stake|wager) (?:\$|usd )?\d[\w.,]* ?(?:bucks|dollars|usd|usdc)?\b.{0,20}\bon\b/,
  /\b(?:place|open|execute|put) (?:a |an |the |my )?(?:\w+ )?(?:bet|order|trade|position|wager)\b/,
  /\b(?:buy|sell|swap|send|transfer|bridge) (?:me |my )?\d/,
  /^\W*(?:please )?(?:(?:buy|sell|get) me (?:some|a few|all)|(?:swap|send|transfer|bridge|withdraw|deposit) (?:me|my|some|all|<asset>))\b/,
  /\b(?:add|put|save) (?:<asset>|<address>|<market>|it|this|that).{0,40}\b(?<!next )(?:to|on|in|into) (?:my|our|the|a|an|watch\w*|favou?rites)\b/,
  new RegExp(String.raw`\b(?:stick|throw|put|pin|save|stash|drop|include) .{1,30} ${toList}\b`),
  new RegExp(String.raw`\b(?:take|get|knock|kick|throw|drop|remove|delete) .{1,30} ${fromList}\b`),
)

/** `did i set an alert`, `what do you notify me about`: about a change that was made. */
const ofPast = saysAny(
  /\b(?:did|have|had) (?:i|we)\b/,
  /\b(?:what|which|how many) .{0,30}\b(?:i|we)(?:'ve| have)? (?:set|made|created|added|configured)\b/,
  /\b(?:what|which|when|how|why) (?:\w+ )?(?:do|does|will|would) you (?:\w+ )?(?:notify|ping|alert|warn|remind|email|text|message)\b/,
  new RegExp(String.raw`\bis (?:my|our) (?:\w+ )?(?:${messengerIds.join('|')}|e-?mail|account|key|alert)\b`),
)

const ofAdvice = saysAny(/\bshould (?:i|we)\b/)
