import * as z from 'zod/mini'
import { ControlError } from '../control-error.ts'

// Given with each call: zod's own configuration belongs to the program around us.
const english = z.locales.en()

/**
 * Reads `input`.
 *
 * @throws ControlError with one sentence that names every field in question.
 */
export function parseInput<Output>(schema: z.ZodMiniType<Output>, input: unknown): Output {
  const result = schema.safeParse(input, { error: english.localeError })
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new ControlError('invalid', `${problems.join('; ')}.`)
}
