import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseInput } from './control/parse-input.ts'
import { ControlError } from './control-error.ts'
import type { EmulatorData } from './data/emulator-data.ts'
import { emulatorDataSchema } from './data/emulator-data-schema.ts'

/**
 * Reads a data file.
 *
 * @returns `null` if the file doesn't exist.
 * @throws An Error with a sentence that says what is wrong with it.
 */
export async function readDataFile(path: string): Promise<EmulatorData | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return parseInput(emulatorDataSchema, JSON.parse(text))
  } catch (error) {
    if (error instanceof ControlError) throw new Error(`${path} is not a data file: ${error.message}`)
    throw new Error(`${path} is not valid JSON.`)
  }
}

/** Writes a data file atomically. */
export async function writeDataFile(path: string, data: EmulatorData): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}.tmp`
  await writeFile(temporaryPath, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 })
  await rename(temporaryPath, path)
}
