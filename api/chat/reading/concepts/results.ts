import { venueWords } from '#api/chat/reading/venue_words.ts'

import { concept } from './concept.ts'

/** Words of prediction markets. */
export const ofBetting = concept(
  `prediction, predictor, ${venueWords.replaceAll(' ', ', ')}, bet, bettor, gamble, gambler, punter, punt, forecast, forecaster
  clv, closing line, odds, pm, sharp, sharpest, market|markets traded, event market, wager, bookie, handicapper, oddsmaker, speculator`,
)

/** People who trade. */
export const people = concept(
  `trader, bettor, bookie, gambler, punter, forecaster, predictor, performer, leaderboard, leader board, sharp, sharpest, player, clv, closing line
  biggest|top|largest|best|worst winner|earner|loser|performer, speculator, handicapper, prediction market whale, beat the market|close|odds, wagerer, better at calling`,
)

/** Words of on-chain wallets. */
export const ofChains = concept(
  `wallet, onchain, on-chain, smart money, address, degen, whale, holder, portfolio, dex trader|wallet|user, addy, swapper, trencher
  memecoin trader, token trader, defi trader|user`,
)

/** Results of people in money or wins. */
export const results = concept(
  `profit, profitable, profitability, make, earn, earner, money, pnl, p&l, win, winner, winning, win rate, lose, loser, loss, down, gain
  gainer, rich, richest, best, worst, top, hit rate, killing, crush, good, bad, kill, clean up, dominate, cash, bleed, rekt, wreck
  bank, underwater, blow up, skill, skilled, skillful, edge, talent, talented, successful, success, performance, perform, track record
  return, ahead, print, rake, ruined, burned, burnt, broke, accurate, right most often, consistent`,
)

/** Sorted by the share of wins. */
export const byWinRate = concept(
  `win rate, winrate, win-rate, hit rate, hit-rate, win percentage|ratio|pct|%|share|frequency, win most often, most often, most consistent, most consistently
  percent of wins, accurate, accuracy, strike rate, win the most, most wins, share of wins, success rate, success ratio
  batting average, how often ~ win, win often, win ~ often, right most often, most right, hit ratio, percentage|proportion|portion of wins
  most reliable, wins %, highest % of wins, winning percentage|ratio|rate|share|record, winning trades|bets ~ %, correct most often
  share of ~ winning, wins more often, winningest, highest success, frequently win, win most frequently, percentage of winning`,
)

/** Sorted by profit. */
export const byProfit = concept(
  `pnl, p&l, p and l, profit, profitable, profitability, profiting, money, make, earn, earner, lose, loser, loss, gain, gainer, rich, richest
  dollar, cash, usd, in the red, down bad, bleed, most down, return, winner, winnings, rekt, wreck, bank, green, wiped out, underwater
  blow up, earning, income, in the black, payout, biggest win, ahead, print, rake, rake in, haul, take home, pocket, net worth, wealthiest
  burned, burnt, ruined, broke, cleaned out, in the hole, biggest bag, pulled in, bring in, brought in, biggest score`,
)

/** Sorted by closing line value. */
export const byClosingLine = concept(`clv, closing line, closing lines, sharpest, beat the close, closing price`)

/** Sorted by volume. */
export const byVolume = concept(
  `volume, most active, least active, very active, highly active, more active, active wallet|address|trader|bot|degen|whale, actively, activity, turnover, trade most, trade the most, busy, busiest, biggest by, most trades, move the most, churn, heaviest
  least active, move ~ money|size|value|capital|cash|dollars, most transactions, most swaps, trade ~ most, highest flow, liquidity moved
  biggest flows, most size, throughput, most traded, swapped the most, largest flows, traded the highest, most trading`,
)

/** From the end of a list. */
export const fromTheEnd = concept(
  `worst, lose, loser, losing, bottom, lowest, least profitable|successful|active|accurate|volume|skilled|consistent|money, loss, in the red
  down bad, underperform, underperformer, bleed, most down, unprofitable, terrible, dumbest, rekt, wreck, wiped out, underwater, blow up, struggle
  deepest|most in the hole, reverse order, poorest, weakest, unsuccessful, negative pnl|clv|closing|profit|return|score|win, down the most, fewest wins, unluckiest, ruined, burned
  burnt, cleaned out, down big, in the gutter, most unprofitable, last place, smallest pnl|profit|win, ascending, from the bottom, losingest
  tail end, got destroyed|crushed|smoked, down horrendous, below zero, suffering`,
)
