import { appendFile, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { reportFolder } from '../workspace/repository.ts'

/** One line for each app that quit but whose runtime didn't exit and was killed. */
export const pardonsPath: string = path.join(reportFolder, 'pardons.txt')

/** Records such an app for the last lines of `pnpm test`, and prints it. */
export async function recordPardon(line: string, file: string = pardonsPath): Promise<void> {
  console.warn(line)
  await mkdir(path.dirname(file), { recursive: true })
  await appendFile(file, `${line}\n`)
}

/** Returns the number of such apps since the file was removed. */
export async function countPardons(file: string = pardonsPath): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '').length
}

/** Returns the line about them; `null` if there were none. */
export function pardonLine(count: number): string | null {
  if (count === 0) return null
  return `${count} ${count === 1 ? 'app was' : 'apps were'} killed after quitting, because Electron 25 did not end`
}
