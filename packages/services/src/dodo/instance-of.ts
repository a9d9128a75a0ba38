import type { Activation } from '../contract/license-facts.ts'
import { parseActivationName } from '../text/activation-name.ts'
import { timestampMs } from '../text/timestamps.ts'
import type { DodoInstance } from './wire.ts'

export function instanceOf({ id, name, created_at }: DodoInstance): Activation {
  const { deviceName = null, fingerprint = null } = name == null ? {} : parseActivationName(name)
  return { id, deviceName, fingerprint, createdAtMs: timestampMs(created_at) }
}
