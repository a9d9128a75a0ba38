import * as z from 'zod/mini'
import { GatewayConfigError } from '../gateway-config-error.ts'
import {
  aFunction,
  findShapeProblems,
  gatewayShape,
  number,
  type ServerOption,
  text,
  trueOrFalse,
} from '../options/option-shapes.ts'

const { clientAddress: _, isHealthy: __, metrics: ___, ...shared } = gatewayShape

const ownShape: Readonly<Record<ServerOption, z.ZodMiniType>> = {
  port: z.optional(number),
  host: z.optional(text),
  trustedProxies: z.optional(number),
  warn: z.optional(aFunction),
  metricsPort: z.optional(number),
  ownsProcess: z.optional(trueOrFalse),
}

const serverShape = { ...shared, ...ownShape }

/**
 * Checks the names and types of a server's options.
 *
 * @throws {GatewayConfigError} if an option has the wrong type, or isn't an option. The message names each one.
 */
export function checkServerOptions(options: unknown): void {
  const { problems } = findShapeProblems(options, serverShape)
  if (problems.length > 0) throw new GatewayConfigError(problems)
}
