import { concept } from './concept.ts'

/** The feed itself. */
export const ofFeed = concept(`signal, signals, feed`)

/** News, changes and odd things. */
export const ofEvents = concept(
  `signal, feed, alert, what new|up|happening|popping, what going on, what be new|up|happening|popping, what be going on, anything|something|stuff ~ new|interesting|happening|notable|important
  anything|something going on|around|with|about, anything ~ happening|brewing|cooking, what ~ happen, what ~ change, what ~ moved, what ~ popped, what ~ come in, any|anything ~ news|activity|event|move|update|signal, happening
  latest|recent|new|newest activity|event|move|update|stuff|happening|development|thing, event|events since|today|yesterday|in|over, catch me up, bring me up to speed
  fill me in, brief me, update me, digest, rundown, did i miss, i miss, missed, recap, activity, highlight, flag, flagged, unusual, abnormal
  anomaly, out of the ordinary, strange, weird, noteworthy, notable, spike, outlier, briefing, news from ~ feed, get me up to speed, up to speed
  what do i need to know, headline signal, summary of today|yesterday|the|this, catch up, stand out, stood out, development, pop off, big news, breaking
  get flagged, detect, detected, trigger, triggered, fire, roundup, round-up, what ~ cooking, lowdown, scoop, keep me posted, happen`,
)

/** Moves of a figure, which signals report. */
export const ofMoves = concept(
  `odds|price|volume movement|move|shift|swing|change|jump|spike|burst|surge, mention spike|spikes|burst, attention burst|bursts, bursts of attention, movements in ~ odds|prices|volume
  shifts in ~ odds|prices|volume, swings in ~ odds|prices|volume`,
)
