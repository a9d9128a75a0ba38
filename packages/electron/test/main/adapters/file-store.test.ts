import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ElectronStore from 'electron-store'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { StorePort } from '../../../src/core/ports.ts'
import { createFileStore, type FileStore } from '../../../src/main/adapters/file-store.ts'
import { createFileHolder } from '../../doubles/file-holder.ts'
import { createMemoryStore, type StoreFile } from '../../doubles/memory-store.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-store-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const fileNames: Readonly<Record<StoreFile, string>> = {
  newest: 'license.json',
  lastGood: 'license.last-good.json',
}
const record = { version: 1, sealed: 'b64:AAECAw==', nested: { list: [1, null, true], empty: {} } }
const later = { version: 1, sealed: 'b64:BBBB' }
const foundAs = (json: object) => ({ found: 'json', json })
const found = foundAs(record)
const both = { newest: found, lastGood: found }

function openIn(directory: string): FileStore {
  return createFileStore({ directory: () => directory, name: 'license' })
}

function newFolder(): string {
  return path.join(mkdtempSync(path.join(root, 'case-')), 'latchkey')
}

/** A folder and its store, with a record in it. */
async function written(): Promise<{ directory: string; store: FileStore; newest: string }> {
  const directory = newFolder()
  const store = openIn(directory)
  await store.write(record)
  return { directory, store, newest: path.join(directory, fileNames.newest) }
}

const setAsideIn = (directory: string): readonly string[] =>
  existsSync(directory) ? readdirSync(directory).filter((name) => name.includes('.set-aside-')) : []

/** A store, and a way to get at its files from outside. */
interface StoreUnderTest {
  readonly store: StorePort
  readonly place: (file: StoreFile, text: string) => void
  readonly setAsideTexts: () => readonly string[]
}

const stores: Readonly<Record<string, () => StoreUnderTest>> = {
  files() {
    const directory = newFolder()
    return {
      store: openIn(directory),
      place(file, text) {
        mkdirSync(directory, { recursive: true })
        writeFileSync(path.join(directory, fileNames[file]), text)
      },
      setAsideTexts: () =>
        setAsideIn(directory).map((name) => readFileSync(path.join(directory, name), 'utf8')),
    }
  },
  'the memory store of other tests'() {
    const store = createMemoryStore()
    return { store, place: store.place, setAsideTexts: () => store.setAsideTexts }
  },
}

describe.each(Object.entries(stores))('a record in %s', (_name, make) => {
  test('is not there on the first launch, then as it was written last', async () => {
    const { store } = make()
    expect(store.read()).toEqual({ newest: { found: 'nothing' }, lastGood: { found: 'nothing' } })
    for (const json of [record, later]) {
      expect(await store.write(json)).toEqual({ ok: true })
      expect(store.read()).toEqual({ newest: foundAs(json), lastGood: foundAs(json) })
    }
  })

  test.each([
    ['zero bytes', '', 'empty'],
    ['white space', ' \n', 'empty'],
    ['half a document', '{"version":2,"sealed":"b6', 'unreadable'],
    ['zeros, as a power cut leaves them', '\0\0\0\0', 'unreadable'],
    ['something else', '<!doctype html>', 'unreadable'],
  ] as const)(
    'is told from %s in either file, without a loss of the other one',
    async (_what, text, fault) => {
      const { store, place } = make()
      await store.write(record)
      place('newest', text)
      expect(store.read()).toEqual({ newest: { found: 'fault', fault }, lastGood: found })
      await store.write(record)
      place('lastGood', text)
      expect(store.read()).toEqual({ newest: found, lastGood: { found: 'fault', fault } })
    },
  )

  test('is reported once it has replaced the file, and only then', async () => {
    const { store } = make()
    const reports: unknown[] = []
    const onReplaced = (): void => void reports.push(store.read().newest)
    await store.write(record, () => true, onReplaced)
    expect(await store.write(later, () => false, onReplaced)).toEqual({ ok: true })
    expect(store.read()).toEqual(both)
    store.writeNow(later, () => true, onReplaced)
    store.writeNow(record, () => false, onReplaced)
    expect(reports).toEqual([found, foundAs(later)])
  })

  test.each(['[]', 'null', '42', '"text"'])('is handed on as it is where %s is in its place', (text) => {
    const { store, place } = make()
    place('newest', text)
    expect(store.read().newest).toEqual(foundAs(JSON.parse(text)))
  })

  test('is set aside as often as needed, and kept', async () => {
    const { store, place, setAsideTexts } = make()
    store.setAside()
    expect(setAsideTexts()).toEqual([])
    await store.write(record)
    for (const text of ['{1', '{2', '{3']) {
      place('newest', text)
      store.setAside()
      expect(store.read()).toEqual({ newest: { found: 'nothing' }, lastGood: found })
    }
    expect([...setAsideTexts()].sort()).toEqual(['{1', '{2', '{3'])
  })

  test('of another device is kept once, where that device finds it', async () => {
    const { store, setAsideTexts } = make()
    for (const json of [record, later]) {
      await store.write(json)
      store.setAside('8c1f5f0a2b3d4e6f')
    }
    expect(store.readSetAside('8c1f5f0a2b3d4e6f')).toEqual(foundAs(later))
    expect(store.readSetAside('0000000000000000')).toEqual({ found: 'nothing' })
    expect(setAsideTexts()).toHaveLength(1)
  })

  test('is written over damaged files, which are kept', async () => {
    const { store, place, setAsideTexts } = make()
    place('newest', '{"torn":')
    place('lastGood', '{"torn too":')
    expect(await store.write(record)).toEqual({ ok: true })
    expect(store.read()).toEqual(both)
    expect([...setAsideTexts()].sort()).toEqual(['{"torn too":', '{"torn":'])
  })
})

describe('the license file on disk', () => {
  test('is one of two that only their owner can read, and reading creates none', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    store.read()
    store.finish()
    expect(existsSync(directory)).toBe(false)
    for (const json of [record, later]) await store.write(json)
    store.writeNow(record, () => true)
    expect(readdirSync(directory).sort()).toEqual(Object.values(fileNames))
    if (process.platform === 'win32') return
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    for (const name of Object.values(fileNames)) {
      expect(statSync(path.join(directory, name)).mode & 0o777).toBe(0o600)
    }
  })

  test.each(['newest', 'lastGood'] as const)(
    'is written where a folder is in place of the %s one, which is moved away whole',
    async (file) => {
      const directory = newFolder()
      mkdirSync(path.join(directory, fileNames[file], 'inside'), { recursive: true })
      const store = openIn(directory)
      expect(store.read()[file]).toEqual({ found: 'fault', fault: 'unreadable' })
      expect(await store.write(record)).toEqual({ ok: true })
      expect(store.read()).toEqual(both)
      const [movedAway] = setAsideIn(directory)
      expect(readdirSync(path.join(directory, movedAway ?? ''))).toEqual(['inside'])
    },
  )

  const make = (command: string) => (file: string) => void execFileSync(command, [file])
  test.each<[string, (file: string) => void, 'unreadable' | 'out-of-reach']>([
    ['is larger than any record', (file) => writeFileSync(file, `"${'x'.repeat(2 ** 21)}"`), 'unreadable'],
    // No permission stops root; a link in a circle stops everybody.
    ['can’t be opened now', (file) => symlinkSync(fileNames.newest, file), 'out-of-reach'],
    ['is a pipe, which would make the launch wait', make('mkfifo'), 'unreadable'],
  ])('is not read into memory if it %s', (_what, place, fault) => {
    if (process.platform === 'win32' && fault !== 'unreadable') return
    const directory = newFolder()
    mkdirSync(directory, { recursive: true })
    place(path.join(directory, fileNames.newest))
    expect(openIn(directory).read().newest).toEqual({ found: 'fault', fault })
  })

  test('is not found where a file is in place of the folder, and a write says that it cannot', async () => {
    const directory = newFolder()
    writeFileSync(directory, 'in the way')
    const store = openIn(directory)
    await store.prepare()
    expect(await store.write(record)).toEqual({ ok: false, code: 'store-not-writable' })
    expect(() => store.writeNow(record, () => true)).not.toThrow()
    expect(store.read().newest).toEqual({ found: 'nothing' })
    store.setAside()
    expect(readFileSync(directory, 'utf8')).toBe('in the way')
  })

  test('is made again after its folder has vanished, or it was torn while the app ran', async () => {
    const { directory, store, newest } = await written()
    rmSync(directory, { recursive: true })
    expect(await store.write(record)).toEqual({ ok: true })
    expect(store.read().newest).toEqual(found)
    writeFileSync(newest, '{"torn":')
    expect(await store.write(record)).toEqual({ ok: true })
    expect(store.read().newest).toEqual(found)
    expect(setAsideIn(directory)).toHaveLength(1)
  })

  test('is one of electron-store', async () => {
    const { directory, store } = await written()
    const other = new ElectronStore({ cwd: directory, name: 'license' })
    expect(other.store).toEqual(record)
    other.store = later
    expect(store.read().newest).toEqual(foundAs(later))
  })
})

describe('a file that something else holds open, as a virus scanner does', () => {
  test.each(['EPERM', 'EBUSY', 'EACCES'])(
    'is waited for (%s) while the app goes on, and then written',
    async (code) => {
      const { store, newest } = await written()
      const holder = createFileHolder(newest, code)
      holder.isHeld = true
      const writing = store.write(later)
      // electron-store would try thousands of times, for a second in which nothing else runs.
      await expect.poll(() => holder.failed).toBeGreaterThan(1)
      expect(holder.failed).toBeLessThan(100)
      holder.isHeld = false
      expect(await writing).toEqual({ ok: true })
      expect(store.read()).toEqual({ newest: foundAs(later), lastGood: foundAs(later) })
    },
  )

  test('is given up in the end, with the last record whole and nothing left behind', async () => {
    const { directory, store, newest } = await written()
    createFileHolder(newest).isHeld = true
    expect(await store.write(later)).toEqual({ ok: false, code: 'store-not-writable' })
    expect(store.read()).toEqual(both)
    expect(readdirSync(directory).sort()).toEqual(Object.values(fileNames))
  })

  test('doesn’t lose the write in progress when the app quits', async () => {
    const { directory, store, newest } = await written()
    const holder = createFileHolder(newest)
    holder.isHeld = true
    const writing = store.write(later)
    await expect.poll(() => holder.failed).toBeGreaterThan(0)
    holder.isHeld = false
    // No process waits for a promise once it ends.
    store.finish()
    store.finish()
    expect(store.read().newest).toEqual(foundAs(later))
    await writing
    expect(store.read()).toEqual({ newest: foundAs(later), lastGood: foundAs(later) })
    expect(readdirSync(directory).sort()).toEqual(Object.values(fileNames))
  })
})

/** Mounts a disk of 64 KB until the test ends. @returns its path; `null` if this user can't mount one */
function mountTinyDisk(): string | null {
  const mount = mkdtempSync(path.join(root, 'disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mount], { stdio: 'ignore' })
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', [mount]))
  return mount
}

/** @returns the file that fills the disk */
function fillDisk(mount: string): string {
  const file = path.join(mount, 'ballast')
  const block = Buffer.alloc(4096)
  for (;;) {
    try {
      writeFileSync(file, block, { flag: 'a' })
    } catch {
      return file
    }
  }
}

// A file system of its own is the only honest full disk, and only root can mount one.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a disk that can’t be written to (needs root)',
  () => {
    const larger = { ...record, sealed: 'x'.repeat(20_000) }

    test.for([
      ['is full', 0],
      ['has room for half a record', 3 * 4096],
    ] as const)('is called full if it %s, and the record on it stays whole', async ([, room], { skip }) => {
      const mount = mountTinyDisk() ?? skip('This user cannot mount a file system')
      const store = openIn(path.join(mount, 'latchkey'))
      await store.write(record)
      const ballast = fillDisk(mount)
      truncateSync(ballast, statSync(ballast).size - room)
      expect(await store.write(larger)).toEqual({ ok: false, code: 'disk-full' })
      expect(store.read()).toEqual(both)
      rmSync(ballast)
      expect(await store.write(larger)).toEqual({ ok: true })
    })

    test('is called not writable if it is read-only, and still read', async ({ skip }) => {
      const mount = mountTinyDisk() ?? skip('This user cannot mount a file system')
      const store = openIn(path.join(mount, 'latchkey'))
      await store.write(record)
      execFileSync('mount', ['-o', 'remount,ro', mount])
      expect(await store.write(later)).toEqual({ ok: false, code: 'store-not-writable' })
      store.setAside()
      expect(store.read()).toEqual(both)
    })
  },
)

test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
  'a folder without write permission is called not writable (needs a user who isn’t root)',
  async () => {
    const { directory, store } = await written()
    chmodSync(directory, 0o500)
    expect(await store.write(later)).toEqual({ ok: false, code: 'store-not-writable' })
    chmodSync(directory, 0o700)
  },
)
