import { execFileSync } from 'node:child_process'
import * as z from 'zod/mini'
import { disallowedLicenses } from './check/disallowed-licenses.ts'
import { tellFaults } from './check/tell-faults.ts'
import { pnpmCommand } from './workspace/pnpm-command.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm supply-chain`: checks what else is installed with our packages. `pnpm audit --prod` lists known
// vulnerabilities; it needs the registry.

const packageSchema = z.object({ name: z.string(), versions: z.array(z.string()) })
const reportSchema = z.record(z.string(), z.array(packageSchema))

const [command = '', ...args] = pnpmCommand([
  '--filter',
  './packages/*',
  'licenses',
  'list',
  '--prod',
  '--json',
])
const printed = execFileSync(command, args, { cwd: repositoryRoot, encoding: 'utf8' })
const report = reportSchema.parse(JSON.parse(printed))
const count = Object.values(report).flat().length
if (count === 0) throw new Error('pnpm named no package: there is nothing to judge.')

const refused = disallowedLicenses(report).map(
  ({ name, license }) =>
    `${name} is under ${license}, which scripts/check/disallowed-licenses.ts does not list.`,
)
tellFaults(`licenses of ${count} packages`, refused)
