import * as z from 'zod/mini'
import { disallowedLicenses } from './packages/third-party-licenses.ts'
import { repositoryRoot } from './workspace/repository.ts'
import { runTool } from './workspace/run-tool.ts'

// `pnpm supply-chain`: checks the licenses of what is installed with our packages. `pnpm audit --prod` lists known
// vulnerabilities; it needs the registry.

const packageSchema = z.object({ name: z.string(), versions: z.array(z.string()) })
const reportSchema = z.record(z.string(), z.array(packageSchema))

const list = ['pnpm', '--filter', './packages/*', 'licenses', 'list', '--prod', '--json']
const report = reportSchema.parse(JSON.parse((await runTool(list, repositoryRoot)).stdout))
const count = Object.values(report).flat().length
if (count === 0) throw new Error('pnpm named no package: there is nothing to judge.')

const refused = disallowedLicenses(report)
for (const { name, license } of refused) console.log(`${name} is under ${license}, which isn't allowed.`)
console.log(`${count} packages, ${refused.length} with a license that isn't allowed`)
if (refused.length > 0) process.exitCode = 1
