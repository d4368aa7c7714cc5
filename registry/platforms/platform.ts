/** A place where people post. */
export type Platform = {
  /** The name in posts and answers. Unique. */
  id: string
  /**
   * Its part of the sum of all weights in the mean of the platforms' shares. The weights are chosen by hand: the
   * platforms where most people discuss assets weigh most.
   */
  weight: number
}
