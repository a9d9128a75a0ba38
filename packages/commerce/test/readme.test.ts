import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const packageFolder = path.resolve(import.meta.dirname, '..')
const rootFolder = path.resolve(packageFolder, '../..')

it('every example of the README compiles', async () => {
  const readme = await readFile(path.join(packageFolder, 'README.md'), 'utf8')
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '')
  expect(examples.length).toBeGreaterThan(0)

  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-readme-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [index, code] of examples.entries())
    await writeFile(path.join(folder, `example-${index}.mts`), code)
  const compilerOptions = {
    paths: { '@latchkey/commerce': [path.join(packageFolder, 'src/index.ts')] },
    typeRoots: [path.join(rootFolder, 'node_modules/@types')],
    types: ['node'],
  }
  const config = { extends: path.join(rootFolder, 'tsconfig.base.json'), compilerOptions, include: ['*.mts'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))

  const tsc = path.join(rootFolder, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => error)
  expect(stdout).toBe('')
})
