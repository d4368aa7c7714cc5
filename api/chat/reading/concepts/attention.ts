import { concept } from './concept.ts'

const plainly = `mindshare, mind share, sentiment, attention, buzz, hype, narrative, chatter, share of voice, share of mind,
  trending, bullish, bearish, talked about, mentioned, discussed, mindspace, attention share, share of attention`

/** Words of attention alone: no trader, wallet or market has it. */
export const ofAttention = concept(plainly)

/** Words that can mean attention. */
export const mayMeanAttention = concept(
  plainly,
  `momentum, talk, talks about, mentions, mood, vibe, social, socially, socials, hot, hottest, popular, popularity, conversation
  noise, noisy, interest in, heating, cooling, positive, negative, positively, negatively, optimistic, pessimistic, bull, bear, visibility, visible, viral
  virality, crowd, loud, louder, loudest, eyeball, spotlight, shill, fomo, tone, crypto twitter, timeline, traction, feel about, feeling
  rave, steam, airtime, air time, presence, coverage of, limelight, headspace, focus, obsessed, yap, gossip, chat about, discussion
  post about, care about, cares about, forgotten, ignored, relevance, relevant, upbeat, neutral, gloomy, euphoric, fearful, sour, souring
  speak about, rave about, excited about, excitement, enthusiasm, confident about, hated, loved, in vogue, fashionable, mindshares`,
)

/** Words of assets. */
export const ofAssets = concept(
  `asset, coin, token, crypto, cryptos, cryptocurrency, currency, alt, altcoin, ticker, symbol, memecoin, meme coin, project, shitcoin`,
)

/** Ways to lose attention. */
export const falling = concept(
  `lose, loser, fall, faller, drop, dropper, decline, decliner, down, cool, cooling off, fade, shrink, slip, worst, bleed, decrease, dying, die
  dead, crash, tank, plunge, sink, slide, shed, nosedive, dive, drain, ebb, forgotten, out of favour, out of favor, going quiet, slump, dip, wane
  losing steam, losing traction, lose ground, steepest drop, collapse, plummet, tumble, dwindle, weaken, backwards, worse, retreat, evaporate
  biggest hit, stop ~ talking|caring|mentioning|discussing, lost interest, losing interest, less talked|attention|buzz|chatter|hype, downward, negative change, most negative delta, down the most, freefall, free fall, free-fall, in decline, on the wane, delta|change ~ ascending, lowest|smallest delta, out of favor, slow down, falling off, fell off`,
)

/** Ways to gain attention. */
export const rising = concept(
  `gain, gainer, rise, riser, climb, climber, grow, grower, surge, jump, up, heat, heating up, mover, increase, momentum, soar, spike, explode
  pump, moon, breaking out, breakout, break out, pick up, traction, take off, blow up, improve, skyrocket, rocket, accelerate, advance
  add, upward, ascend, steepest climb, rally, shoot up, positive change, most positive delta, surging, swell, expand, faster, boost, on the rise
  catching fire, winning over, delta|change ~ descending, largest|highest|biggest delta|change`,
)

/** Ways to have the least attention. */
export const least = concept(
  `least, fewest, quietest, lowest, smallest, ignored, overlooked, weakest, tiniest, minimal, neglected, bottom, unpopular, under the radar, slept on, sleeping on, underrated
  forgotten|forgot about, everyone|everybody forgot, long forgotten, nobody talks|cares about, less discussed|talked|mentioned|popular, no one talks|cares about, no attention`,
)
