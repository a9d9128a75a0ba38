import * as z from 'zod/mini'
import type { Activation } from '../contract/license-facts.ts'
import { timestampMs } from '../text/timestamps.ts'
import { text } from './wire.ts'

// A launch only validates, so these schemas aren't loaded with the others.

/** https://keygen.sh/docs/api/machines/ */
export interface KeygenMachine {
  id: string
  attributes: {
    fingerprint: string
    name?: string | null | undefined
    created?: string | null | undefined
  }
}

const machine: z.ZodMiniType<KeygenMachine> = z.object({
  id: z.string(),
  attributes: z.object({ fingerprint: z.string(), name: text, created: text }),
})

export const machineAnswerSchema: z.ZodMiniType<{ data: KeygenMachine }> = z.object({ data: machine })
export const machineListSchema: z.ZodMiniType<{ data: unknown[] }> = z.object({ data: z.array(z.unknown()) })
export const machineSchema: z.ZodMiniType<KeygenMachine> = machine

export function activationOf({ id, attributes }: KeygenMachine): Activation {
  const { fingerprint, name, created } = attributes
  return { id, deviceName: name ?? null, fingerprint, createdAtMs: timestampMs(created) }
}
