import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { UsageError } from '../usage-error.ts'
import { fileWriteError } from '../write-error.ts'

/** The name of a list that can be exported. */
export type ExportedList = 'customers' | 'discounts'

/** The progress of an export to a file. */
export interface ResumeState {
  readonly version: 1
  /** The exported list. Early versions only exported customers and omitted this field. */
  readonly list: ExportedList
  readonly baseUrl: string
  readonly format: 'csv' | 'ndjson'
  /** Page to continue with. */
  readonly nextPage: number
  /** Length of the file up to the last complete page, in bytes. The rest is truncated. */
  readonly bytes: number
  readonly rows: number
}

const schema: z.ZodMiniType<ResumeState> = z.object({
  version: z.literal(1),
  list: z._default(z.enum(['customers', 'discounts']), 'customers'),
  baseUrl: z.string(),
  format: z.enum(['csv', 'ndjson']),
  nextPage: z.int().check(z.minimum(1)),
  bytes: z.int().check(z.minimum(0)),
  rows: z.int().check(z.minimum(0)),
})

/** Returns the path where the state of an unfinished export to `output` is saved. */
export function resumePath(output: string): string {
  return `${output}.resume.json`
}

/** @returns `null` if there is none. @throws {UsageError} if it is unusable. */
export async function readResumeState(output: string): Promise<ResumeState | null> {
  const path = resumePath(output)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return null
  }
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`${path} is damaged. Delete it together with ${output}, and start the export again.`)
}

/**
 * Writes a temporary file and renames it, so that an interrupted write keeps the previous state.
 *
 * @throws {UsageError} if it can't be written.
 */
export async function writeResumeState(output: string, state: ResumeState): Promise<void> {
  const path = resumePath(output)
  try {
    await writeFile(`${path}.new`, JSON.stringify(state))
    await rename(`${path}.new`, path)
  } catch (error) {
    await rm(`${path}.new`, { force: true })
    throw fileWriteError(path, error)
  }
}

/** Removes an export without a row, and its state. */
export async function removeExport(output: string): Promise<void> {
  await rm(output, { force: true })
  await removeResumeState(output)
}

export async function removeResumeState(output: string): Promise<void> {
  await rm(resumePath(output), { force: true })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
