import * as z from 'zod/mini'
import { describeUnknownName, suggestion } from '../unknown-argument.ts'

/** Like zod's `strictObject`, but the error about an unknown field names the fields there are, and the nearest one. */
export function knownFields<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  const names = Object.keys(shape)
  return z.strictObject(shape, {
    error(issue) {
      if (issue.code !== 'unrecognized_keys') return undefined
      const [name = ''] = issue.keys
      return describeUnknownName('field', name, names) + suggestion(name, names)
    },
  })
}
