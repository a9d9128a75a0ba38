import { expect, test } from 'vitest'
import { pnpmCommand } from '../workspace/pnpm-command.ts'

test('steps run with the pnpm that started the run', () => {
  expect(pnpmCommand(['run', 'build'], { npm_execpath: '/opt/pnpm/pnpm' })).toEqual([
    '/opt/pnpm/pnpm',
    'run',
    'build',
  ])
  expect(pnpmCommand(['run', 'build'], { npm_execpath: '/opt/pnpm/bin/pnpm.cjs' })).toEqual([
    process.execPath,
    '/opt/pnpm/bin/pnpm.cjs',
    'run',
    'build',
  ])
})

test('without pnpm, or with another package manager, pnpm is looked up on the PATH', () => {
  expect(pnpmCommand(['run', 'build'], {})).toEqual(['pnpm', 'run', 'build'])
  expect(pnpmCommand(['run', 'build'], { npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js' })).toEqual(
    ['pnpm', 'run', 'build'],
  )
})
