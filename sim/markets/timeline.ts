export const hour_s = 3600
export const day_s = 86_400
export const opensAt_s = Date.UTC(2026, 6, 1) / 1000
export const now_s = opensAt_s + 120 * day_s
export const endsAt_s = now_s + 14 * day_s
