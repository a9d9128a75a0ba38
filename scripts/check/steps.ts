import path from 'node:path'
import { servicesOfLongRuns, testsOfAnyService } from '../e2e/service-tests.ts'
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
  // The longest ones start as soon as they can, and the short ones fill the slots at the end.
  vitestStep('e2e', ['--project', 'e2e'], ['build', 'electron']),
  vitestStep('unit', ['--project', 'unit'], []),
  // The pages' tests use the packed packages.
  { name: 'packages', command: pnpmCommand(['run', 'packages']), after: ['build'], slots: 1 },
  vitestStep('pages', ['--project', 'pages'], ['build', 'electron', 'packages']),
  // Packages use each other's built declarations.
  { name: 'types', command: pnpmCommand(['run', 'types']), after: ['build'], slots: 1 },
  { name: 'docs', command: pnpmCommand(['run', 'site']), after: ['build'], slots: 1 },
  { name: 'supply chain', command: pnpmCommand(['run', 'supply-chain']), after: [], slots: 1 },
  ...servicesOfLongRuns.map(
    ({ face, isBehindGateway }): Step => ({
      ...vitestStep(
        `e2e with ${face}${isBehindGateway ? ' behind a gateway' : ''}`,
        ['--project', 'e2e', ...testsOfAnyService],
        ['e2e'],
      ),
      env: { LATCHKEY_FACE: face, LATCHKEY_BEHIND_GATEWAY: isBehindGateway ? '1' : '0' },
      isLongOnly: true,
    }),
  ),
]

/** Returns the steps of a run. */
export function stepsOf(isLongRun: boolean): readonly Step[] {
  return steps.filter((step) => isLongRun || step.isLongOnly !== true)
}

function nodeCommand(...args: readonly string[]): readonly string[] {
  return [process.execPath, ...args]
}

function vitestStep(name: string, chosen: readonly string[], after: readonly string[]): Step {
  const reportPath = path.join(reportFolder, `${name}.json`)
  const args = ['run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
  return {
    name,
    command: nodeCommand('node_modules/vitest/vitest.mjs', ...args),
    after,
    slots: 1,
    reportPath,
  }
}
