/** The longest plan, in UTF-16 code units. */
export const longestPlan = 100

/** The longest feature, in UTF-16 code units. */
export const longestFeature = 100

/** How many features of a license count. */
export const mostFeatures = 100

/**
 * Reads a plan that comes from outside.
 *
 * @returns `null` if it says that there is no plan; `undefined` if it says nothing that can be read, such as an empty or
 * endless text.
 */
export function readPlan(value: unknown): string | null | undefined {
  if (value === null) return null
  return isName(value, longestPlan) ? value : undefined
}

/**
 * Reads a list of features that comes from outside. What isn't a short text is left out, and so is what comes after the
 * first hundred.
 *
 * @returns `undefined` if it isn't a list, which says nothing about features.
 */
export function readFeatures(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = value.filter((item) => isName(item, longestFeature))
  return [...new Set(names)].slice(0, mostFeatures)
}

function isName(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest
}
