import path from 'node:path'
import { pnpmCommand } from '../workspace/pnpm-command.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import type { Step } from './step.ts'

/** The folder of test reports; ignored by Git. */
export const reportFolder: string = path.join(repositoryRoot, 'test-output')

/** The steps of `pnpm test`. */
export const steps: readonly Step[] = [
  { name: 'build', command: pnpmCommand(['run', 'build']), after: [], slots: 1 },
  { name: 'electron', command: nodeCommand('scripts/prepare-desktop.ts'), after: [], slots: 1 },
  { name: 'lint', command: pnpmCommand(['run', 'lint']), after: [], slots: 1 },
  vitestStep('unit', [], 1),
  { name: 'coverage', command: pnpmCommand(['run', 'coverage']), after: [], slots: 1 },
  // Packages use each other's built declarations.
  { name: 'types', command: pnpmCommand(['run', 'types']), after: ['build'], slots: 1 },
  { name: 'supply chain', command: pnpmCommand(['run', 'supply-chain']), after: [], slots: 1 },
  { name: 'packages', command: pnpmCommand(['run', 'packages']), after: ['build'], slots: 1 },
  { name: 'docs', command: pnpmCommand(['run', 'site']), after: ['build'], slots: 1 },
  vitestStep('e2e', ['build', 'electron'], 1),
  {
    name: 'mutants',
    command: nodeCommand('scripts/mutate.ts', '--sample', '5'),
    // Some of their tests start Electron.
    after: ['unit', 'e2e'],
    slots: 2,
    isLongOnly: true,
  },
]

/** Returns the steps of a run. */
export function stepsOf(isLongRun: boolean): readonly Step[] {
  return steps.filter((step) => isLongRun || step.isLongOnly !== true)
}

function nodeCommand(...args: readonly string[]): readonly string[] {
  return [process.execPath, ...args]
}

function vitestStep(project: 'unit' | 'e2e', after: readonly string[], slots: number): Step {
  const reportPath = path.join(reportFolder, `${project}.json`)
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json']
  const command = nodeCommand('node_modules/vitest/vitest.mjs', ...args, `--outputFile.json=${reportPath}`)
  return { name: project, command, after, slots, reportPath }
}
