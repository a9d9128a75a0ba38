import type { DeviceIdentity, SecretsPort } from '../../src/core/ports.ts'
import type { LicenseRecord } from '../../src/core/record.ts'
import { createRecordFile } from '../../src/core/record-file.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import type { MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'

/** Edits a record on disk and authenticates it again, as anyone can who has Latchkey's source code. */
export async function editRecord(
  { store, secrets }: { readonly store: MemoryStore; readonly secrets: SecretsPort },
  change: (record: LicenseRecord) => LicenseRecord,
  device?: DeviceIdentity,
): Promise<void> {
  const file = createRecordFile({ store, secrets, clock: createFakeClock(), logger: createRecordingLogger() })
  const loaded = await file.load()
  if (loaded.problem !== null) throw new Error(loaded.problem)
  file.use(loaded)
  await file.write({ record: change(loaded.record), device: device ?? loaded.device })
}
