import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { type OpenApp, test as openAppTest } from '../fixtures/open-app-test.ts'

/** A policy file, in a folder of its own. */
const test = openAppTest.extend<{ readonly policyFile: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  policyFile: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-policy-'))
    await use(path.join(folder, 'license.json'))
    await rm(folder, { recursive: true, force: true })
  },
})
const isRoot = process.getuid?.() === 0
const state = ({ electronApp }: OpenApp) => electronApp.evaluate(() => globalThis.licensing.state)
const statusOf = async (app: OpenApp) => (await state(app)).status

test.skipIf(!isRoot)(
  'two profiles of one computer find the policy file and take one seat; the field for another key stays (needs root)',
  async ({ app, directory, emulator, needs, policyFile }) => {
    needs('the list of devices')
    const seats = () => emulator.control.keys(emulator.demoLicense.id)
    const provisioning = { file: policyFile }
    await writeFile(policyFile, JSON.stringify({ licenseKey: emulator.licenseKey.replaceAll(/\d/gu, '0') }))
    await app.createLicensing({ provisioning })
    await app.electronApp.evaluate(() => void globalThis.licensing.gate({ whenEntitled: () => {} }))
    const window = await app.activationWindow()
    await window.getByText(policyFile, { exact: true }).waitFor()
    await window.getByLabel('License key').waitFor()
    expect(await state(app)).toMatchObject({ status: 'unlicensed', problem: { source: policyFile } })

    await writeFile(policyFile, JSON.stringify({ licenseKey: emulator.licenseKey }))
    // A check that is still running has read the file before.
    const validate = () => app.electronApp.evaluate(() => globalThis.licensing.validate())
    await expect.poll(validate).toMatchObject({ status: 'active', problem: null })
    const report = await app.electronApp.evaluate(() => globalThis.licensing.diagnose())
    expect(report).toContain(` from ${policyFile}`)
    expect(report).not.toContain(emulator.licenseKey)

    // Disposed of while its window closes by itself, Electron 25 may crash.
    await expect.poll(() => app.electronApp.windows()).toEqual([])
    await app.electronApp.evaluate(() => globalThis.licensing.dispose())
    await app.createLicensing({ provisioning, directory: `${directory}-of-another-user` })
    await app.electronApp.evaluate(() => globalThis.licensing.start())
    await expect.poll(() => statusOf(app)).toBe('active')
    expect(seats()).toHaveLength(1)
  },
)

test('activates without a window; the key leaves the arguments and the environment before child processes inherit them', async ({
  openApp,
  emulator,
  policyFile,
}) => {
  const NOTES_KEY = 'never-inherited-variable'
  const app = await openApp({ args: ['--license-key', emulator.licenseKey], env: { NOTES_KEY } })
  await app.createLicensing({ provisioning: { variable: 'NOTES_KEY' } })
  const script = path.join(path.dirname(policyFile), 'child.cjs')
  await writeFile(script, 'process.parentPort.postMessage(JSON.stringify([process.env, process.argv]))')
  const inherited = await app.electronApp.evaluate(async (electron, file) => {
    await globalThis.licensing.start()
    const child = electron.utilityProcess.fork(file)
    const told = await new Promise((resolve) => void child.once('message', resolve))
    return `${told} ${process.argv.join(' ')} ${electron.app.commandLine.hasSwitch('license-key')}`
  }, script)
  expect(inherited).not.toContain(emulator.licenseKey)
  expect(inherited).not.toContain(NOTES_KEY)
  expect(inherited).toMatch(/ false$/u)
  await expect.poll(() => statusOf(app)).toBe('active')
  expect(app.electronApp.windows()).toEqual([])

  // A second instance hands its arguments over to the first one, which may happen before a command has ended.
  const words = await app.electronApp.evaluate((_electron, key) => {
    const argv = ['notes', '--activate', key]
    void globalThis.licensing.runCommand(argv)
    return argv
  }, emulator.licenseKey)
  expect(words).toEqual(['notes', '--activate', '…'])
})
