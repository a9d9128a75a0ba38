import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LicenseService } from '@latchkey/services'
import { afterAll, expect, test } from 'vitest'
import { createFileStore } from '../../../src/main/adapters/file-store.ts'
import { reach } from '../../doubles/app-service.ts'
import { createFileHolder, type FileHolder } from '../../doubles/file-holder.ts'
import { createMemoryStore, type MemoryStore } from '../../doubles/memory-store.ts'
import { createScriptedService } from '../../doubles/scripted-service.ts'
import { createTestDevice, hourMs, scene } from '../fixture.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-held-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Real files that another program can hold open, as a virus scanner on Windows does. */
interface HeldFiles extends FileHolder {
  readonly store: MemoryStore
  /** Finishes a write in progress, because the app quits. */
  finish(): void
  setAside(): readonly string[]
}

function heldFiles(): HeldFiles {
  const directory = mkdtempSync(path.join(root, 'case-'))
  const file = path.join(directory, 'license.json')
  const files = createFileStore({ directory: () => directory, name: 'license' })
  const holder = createFileHolder(file)
  return Object.assign(holder, {
    store: {
      ...createMemoryStore(),
      ...files,
      get texts() {
        return { newest: readFileSync(file, 'utf8'), lastGood: null }
      },
    },
    finish: () => files.finish(),
    setAside: () =>
      readdirSync(directory)
        .filter((name) => name.includes('.set-aside-'))
        .map((name) => readFileSync(path.join(directory, name), 'utf8')),
  })
}

/** Holds the files as long as a scanner reads a new file. */
function holdBriefly(held: HeldFiles): void {
  held.isHeld = true
  setTimeout(() => {
    held.isHeld = false
  }, 500)
}

/** A device with an activation on disk. */
async function activated() {
  const held = heldFiles()
  const it = await scene({ store: held.store, isActivated: true })
  await it.device.settled()
  return { ...it, held }
}

test('an answer reaches the disk once the file is free', async () => {
  const { held, device, license } = await activated()
  await device.clock.advance(2 * hourMs)
  license.isSuspended = true
  holdBriefly(held)
  expect(await device.core.validate()).toMatchObject({ status: 'suspended', storage: 'keychain' })
  expect((await device.recordOnDisk()).activation).toMatchObject({ verdict: 'suspended' })
})

test('a file that stays held is reported, and is written once it is free', async () => {
  const { held, device, license } = await activated()
  await device.clock.advance(2 * hourMs)
  license.isSuspended = true
  held.isHeld = true
  const checked = device.core.validate()
  await expect.poll(() => device.state.storage, { timeout: 6_000 }).toBe('memory')
  held.isHeld = false
  expect(await checked).toMatchObject({ status: 'suspended', storage: 'keychain' })
  expect((await device.recordOnDisk()).activation).toMatchObject({ verdict: 'suspended' })
})

test('an app that quits in the meantime takes no second seat at the next launch', async () => {
  const held = heldFiles()
  const { service, asked } = createScriptedService(false)
  const holding: LicenseService = {
    ...service,
    activate(...request) {
      held.isHeld = true
      return service.activate(...request)
    },
  }
  const device = createTestDevice(null, {
    service: reach({ service: holding, fetch }),
    store: held.store,
  })
  await device.launch()
  void device.core.activate('KEY-1')
  await expect.poll(() => held.failed).toBeGreaterThan(0)
  held.isHeld = false
  held.finish()
  device.core.finish()
  device.kill()
  expect((await device.recordOnDisk()).activation).toMatchObject({ licenseKey: 'KEY-1' })
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(asked.filter((call) => call === 'activate')).toHaveLength(1)
})

test('a record of another device is kept even if it can’t be renamed at first', async () => {
  const { held, device: before, license, secondInstance } = await activated()
  await before.quit()
  const copied = held.store.texts.newest
  const device = secondInstance({ device: { machineId: 'another machine' } })
  await device.launch()
  holdBriefly(held)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(held.failed).toBeGreaterThan(1)
  expect(held.setAside()).toEqual([copied])
  expect(held.store.texts.newest).not.toBe(copied)
})
