import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import {
  electronNeeds,
  keychainNeeds,
  redisNeeds,
  virtualDisplayNeeds,
} from '../e2e/runtime/system-packages.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const folder = path.join(repositoryRoot, '.github', 'workflows')

const stepSchema = z.object({
  uses: z.optional(z.string()),
  run: z.optional(z.string()),
  with: z.optional(z.record(z.string(), z.unknown())),
})
const workflowSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.optional(z.string()),
      needs: z.optional(z.array(z.string())),
      'timeout-minutes': z.number(),
      strategy: z.optional(z.object({ matrix: z.record(z.string(), z.array(z.string())) })),
      steps: z.array(stepSchema),
    }),
  ),
})

function workflow(name: string) {
  return workflowSchema.parse(parse(readFileSync(path.join(folder, name), 'utf8')))
}

const triggersSchema = z.object({ on: z.object({ push: z.object({ branches: z.array(z.string()) }) }) })

function triggers(name: string) {
  return triggersSchema.parse(parse(readFileSync(path.join(folder, name), 'utf8'))).on
}

const names = globSync('*.yml', { cwd: folder })

describe.each(names)('the workflow %s', (name) => {
  test('uses only actions pinned to a commit', () => {
    const used = Object.values(workflow(name).jobs).flatMap(({ steps }) =>
      steps.flatMap(({ uses }) => uses ?? []),
    )
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u.test(action))).toEqual([])
  })

  test('has write permission only in jobs that request it', () => {
    expect(Object.values(workflow(name).permissions).filter((right) => right !== 'read')).toEqual([])
  })
})

test('packages are published only from main, after the tests passed on all systems', () => {
  const jobs = names.flatMap((name) => Object.values(workflow(name).jobs))
  const publishing = jobs.filter(({ steps }) =>
    steps.some((step) => JSON.stringify(step).includes('changeset publish')),
  )
  expect(publishing).toMatchObject([{ if: "github.event_name == 'push'", needs: ['test', 'supply-chain'] }])
  expect(triggers('ci.yml').push).toEqual({ branches: ['main'] })
})

describe('continuous integration', () => {
  const { test: testJob, long } = workflow('ci.yml').jobs

  test('runs .ci/run on three systems, with the oldest and the newest Electron', () => {
    expect(testJob?.steps.map(({ run }) => run)).toContain('.ci/run')
    const systems = testJob?.strategy?.matrix['os']?.map((os) => os.split('-')[0])
    expect(systems).toEqual(['ubuntu', 'macos', 'windows'])
    expect(testJob?.strategy?.matrix['electron']).toEqual(['oldest', 'newest'])
  })

  test('tests the oldest Electron that the package accepts', () => {
    const text = readFileSync(path.join(repositoryRoot, 'packages/electron/package.json'), 'utf8')
    const { peerDependencies } = z
      .object({ peerDependencies: z.object({ electron: z.string() }) })
      .parse(JSON.parse(text))
    const oldest = peerDependencies.electron.replace('>=', '')
    expect(testJob?.steps.map(({ run }) => run).join('\n')).toContain(`electron@${oldest}.0.0`)
  })

  test.each([
    ['test', testJob],
    ['long', long],
  ])('installs the Linux libraries that the job %s needs', (_name, job) => {
    const commands = job?.steps.map(({ run }) => run).join('\n') ?? ''
    const needs = [...electronNeeds, ...virtualDisplayNeeds, ...keychainNeeds, ...redisNeeds]
    const missing = needs.filter(({ packages }) => !packages.some((name) => commands.includes(` ${name}`)))
    expect(missing).toEqual([])
  })
})
