import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'

/** A folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-cli-'))
  onTestEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
