import * as z from 'zod/mini'
import { ControlError } from '../control-error.ts'

// Passed to each call, because zod's global configuration belongs to the program that uses this package.
const english = z.locales.en()

/**
 * Parses `input`.
 *
 * @throws ControlError with one sentence that names all invalid fields.
 */
export function parseInput<Output>(schema: z.ZodMiniType<Output>, input: unknown): Output {
  const result = schema.safeParse(input, { error: english.localeError })
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new ControlError('invalid', problems.join('; ').replace(/[^.?]$/u, '$&.'))
}
