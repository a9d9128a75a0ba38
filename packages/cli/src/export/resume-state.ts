import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { UsageError } from '../usage-error.ts'

/** A list that can be exported. */
export type ExportedList = 'customers' | 'discounts'

/** How far an export into a file has come. */
export interface ResumeState {
  readonly version: 1
  /** What is exported; a state that does not say so is from when there were customers alone. */
  readonly list: ExportedList
  readonly baseUrl: string
  readonly format: 'csv' | 'ndjson'
  /** Page to go on with. */
  readonly nextPage: number
  /** Length of the file up to the last whole page; what stands behind it is cut off. */
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

/** Where the state of an export into `output` is kept until it is finished. */
export function resumePath(output: string): string {
  return `${output}.resume.json`
}

/** @returns `null` when there is none. @throws {UsageError} when it cannot be used. */
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

/** Written under another name first: a cut-off write leaves the last state in place. */
export async function writeResumeState(output: string, state: ResumeState): Promise<void> {
  const path = resumePath(output)
  await writeFile(`${path}.new`, JSON.stringify(state))
  await rename(`${path}.new`, path)
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
