import { expect, test } from 'vitest'
import { parsePage, readMarkdownPages } from '../docs/pages.ts'

const programs = [
  { command: /^(?:npx )?latchkey-emulator\b/mu, packageName: '@latchkey/emulator' },
  { command: /^(?:npx )?latchkey-gateway\b/mu, packageName: '@latchkey/gateway' },
  { command: /^(?:npx )?latchkey /mu, packageName: '@latchkey/cli' },
]

/** Pages about this repository, where `pnpm install` installs every program. */
const isWithinWorkspace = (file: string): boolean => file.startsWith('examples/')

const uses = (await readMarkdownPages())
  .filter(({ file }) => !isWithinWorkspace(file))
  .map(parsePage)
  .flatMap(({ file, blocks }) => {
    const shell = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    return programs.flatMap(({ command, packageName }) => {
      const first = shell.findIndex((code) => command.test(code))
      return first === -1 ? [] : [{ file, packageName, before: shell.slice(0, first).join('') }]
    })
  })

// `npx` downloads a missing program from anyone who published a package with that name.
test.each(uses)('$file has $packageName installed before it runs its program', ({ packageName, before }) => {
  expect(before).toMatch(new RegExp(`^npm install .*${packageName}\\b`, 'mu'))
})

test('some pages run programs of the packages', () => {
  expect(uses.length).toBeGreaterThan(5)
})
