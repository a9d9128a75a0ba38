import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ControlError, parseInput } from './control/input.ts'
import { emulatorDataSchema } from './data/data-schema.ts'
import type { EmulatorData } from './data/service-data.ts'

/**
 * Reads a data file.
 *
 * @returns `null` if the file doesn't exist.
 * @throws An Error with a sentence that says what is wrong with it.
 */
export async function readDataFile(dataFile: string): Promise<EmulatorData | null> {
  let text: string
  try {
    // Without the byte order mark that some editors write.
    text = new TextDecoder().decode(await readFile(dataFile))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Error(`${dataFile} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return parseInput('the data', emulatorDataSchema, JSON.parse(text))
  } catch (error) {
    if (error instanceof ControlError) throw new Error(`${dataFile} is not a data file: ${error.message}`)
    throw new Error(`${dataFile} is not valid JSON.`)
  }
}

/** Checks that a data file can be written later. @throws An Error with a sentence that says what to do. */
export async function checkDataFolder(dataFile: string): Promise<void> {
  const folder = path.resolve(path.dirname(dataFile))
  await access(folder, constants.W_OK).catch(() => {
    throw new Error(
      `--save can't write to the folder ${folder}. Create it or make it writable, or pass another file.`,
    )
  })
}

/** Writes a data file atomically. */
export async function writeDataFile(dataFile: string, data: EmulatorData): Promise<void> {
  const temporaryFile = `${dataFile}.${randomUUID()}.tmp`
  await writeFile(temporaryFile, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 })
  await rename(temporaryFile, dataFile)
}
