import { millionths, type Decimal } from '#ingest/parse/decimals.ts'
import type { Market } from '#lake/datasets/index.ts'

type Fees = {
  feesEnabled: boolean | null
  feeSchedule: { rate: Decimal; exponent: Decimal | null; takerOnly: boolean | null } | null
}

/**
 * The rate r and the exponent e of a fee of shares x r x (p x (1 - p))^e; a schedule without an exponent has 1.
 * `feesEnabled` false means no fee. Fees without a schedule (markets of early 2026) have an unknown rate. Their
 * `takerBaseFee` of 1000 is a ceiling for orders, not the charged fee.
 */
export const feeTerms = ({
  feesEnabled,
  feeSchedule,
}: Fees): Pick<Market, 'taker_fee_rate' | 'maker_fee_rate' | 'fee_exponent'> => {
  if (feesEnabled === false) return { taker_fee_rate: 0n, maker_fee_rate: 0n, fee_exponent: null }
  if (feesEnabled === null || feeSchedule === null) {
    return { taker_fee_rate: null, maker_fee_rate: null, fee_exponent: null }
  }
  const rate = millionths(feeSchedule.rate)
  const { takerOnly, exponent } = feeSchedule
  return {
    taker_fee_rate: rate,
    maker_fee_rate: takerOnly === null ? null : takerOnly ? 0n : rate,
    fee_exponent: exponent === null ? 1_000_000n : millionths(exponent),
  }
}

/**
 * The position of a market in its neg-risk group. The adapter derives a question's id from the group's, with the index
 * as last byte. Otherwise gamma's threshold, by which a page sorts, is used.
 */
export const negRiskIndex = (
  negRiskId: string,
  questionId: string | null,
  threshold: string | number | null,
): number | null => {
  const question = questionId?.toLowerCase() ?? ''
  if (/^0x[0-9a-f]{64}$/.test(question) && question.slice(0, -2) === negRiskId.slice(0, -2)) {
    return Number.parseInt(question.slice(-2), 16)
  }
  return threshold !== null && /^\d{1,4}$/.test(String(threshold)) ? Number(threshold) : null
}
