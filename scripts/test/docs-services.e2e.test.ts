import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readBlocks } from '../docs/pages.ts'
import { nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { startGatewayProgram } from '../packages/start-installed-gateway.ts'
import { repositoryRoot } from '../workspace/repository.ts'

/** A folder below `docs`, where imports find what a reader would have installed. */
async function makeFolder(): Promise<string> {
  const scratch = path.join(repositoryRoot, 'docs', 'test-output')
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(path.join(scratch, 'service-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.each(serviceNames)('the page about %s', (service) => {
  test('starts a gateway in front of the emulator with the settings it shows', async () => {
    const emulator = await startEmulator({ face: service, accessToken: 'demo' })
    onTestFinished(() => emulator.close())
    const blocks = await readBlocks(`docs/services/${service}.md`)
    const shown = blocks.find(({ code }) => code.startsWith('# emulator.env'))
    const code = shown?.code ?? ''
    expect(code).toContain('=http://127.0.0.1:4010\n')
    const folder = await makeFolder()
    const settings = code.replace('http://127.0.0.1:4010', emulator.baseUrl)
    await writeFile(path.join(folder, 'emulator.env'), settings, { mode: 0o600 })
    const command = nodeArguments(['npx', 'latchkey-gateway', '--settings', 'emulator.env']) ?? []
    const gateway = await startGatewayProgram([process.execPath, ...command], { cwd: folder })
    onTestFinished(gateway.stop)

    const doctor = ['latchkey', 'doctor', '--gateway', gateway.baseUrl, '--license', emulator.licenseKey]
    const { exitCode, output } = await runNode(nodeArguments(doctor) ?? [], { cwd: folder })
    expect(exitCode, output).toBe(0)
    expect(output).toContain('activate')
  })
})
