/** The longest plan, in UTF-16 code units. */
const longestPlan = 100

/** The longest feature, in UTF-16 code units. */
const longestFeature = 100

/** How many features of a license count. */
const mostFeatures = 100

/**
 * Reads a plan that isn't trusted, such as one from a rule or an answer.
 *
 * @returns the plan; `null` for no plan; `undefined` for anything but a text of 1 to 100 characters.
 */
export function readPlan(value: unknown): string | null | undefined {
  if (value === null) return null
  return isName(value, longestPlan) ? value : undefined
}

/**
 * Reads a list of features that isn't trusted, such as one from a rule or an answer. It keeps the first 100 texts of 1
 * to 100 characters, each once, and skips everything else.
 *
 * @returns the features; `undefined` if the value isn't a list.
 */
export function readFeatures(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = value.filter((item) => isName(item, longestFeature))
  return [...new Set(names)].slice(0, mostFeatures)
}

function isName(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest
}
