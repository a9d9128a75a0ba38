import { execFile, execFileSync } from 'node:child_process'
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
import { promisify } from 'node:util'
import ElectronStore from 'electron-store'
import { afterAll, describe, expect, test } from 'vitest'
import { createFileStore, type FileStore } from '../../../src/main/adapters/file-store.ts'
import { describeStoreContract } from '../../contracts/store-contract.ts'
import { createFileHolder } from '../../doubles/file-holder.ts'
import type { StoreFile } from '../../doubles/memory-store.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-store-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const fileNames: Readonly<Record<StoreFile, string>> = {
  newest: 'license.json',
  lastGood: 'license.last-good.json',
}
const record = { version: 1, sealed: 'b64:AAECAw==' }
const found = { found: 'json', json: record }

function openIn(directory: string): FileStore {
  return createFileStore({ directory: () => directory, name: 'license' })
}

function newFolder(): string {
  return path.join(mkdtempSync(path.join(root, 'case-')), 'latchkey')
}

describeStoreContract('files', () => {
  const directory = newFolder()
  return {
    store: openIn(directory),
    place(file, text) {
      mkdirSync(directory, { recursive: true })
      writeFileSync(path.join(directory, fileNames[file]), text)
    },
    setAsideTexts: () =>
      existsSync(directory)
        ? readdirSync(directory)
            .filter((name) => name.includes('.set-aside-'))
            .map((name) => readFileSync(path.join(directory, name), 'utf8'))
        : [],
  }
})

describe('the license file on disk', () => {
  test.skipIf(process.platform === 'win32')(
    'only its owner can read it, or look into its folder',
    async () => {
      const directory = newFolder()
      await openIn(directory).write(record)
      expect(statSync(directory).mode & 0o777).toBe(0o700)
      for (const name of Object.values(fileNames)) {
        expect(statSync(path.join(directory, name)).mode & 0o777).toBe(0o600)
      }
    },
  )

  test('nothing but the two files stays behind, and reading creates none', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    store.read()
    expect(existsSync(directory)).toBe(false)
    await store.write(record)
    await store.write({ ...record, sealed: 'b64:BBBB' })
    expect(readdirSync(directory).sort()).toEqual(['license.json', 'license.last-good.json'])
  })

  test('the next launch reads what this one wrote', async () => {
    const directory = newFolder()
    await openIn(directory).write(record)
    expect(openIn(directory).read()).toEqual({ newest: found, lastGood: found })
  })

  test.each(['newest', 'lastGood'] as const)(
    'a folder in place of the %s file is moved away whole',
    async (file) => {
      const directory = newFolder()
      mkdirSync(path.join(directory, fileNames[file], 'inside'), { recursive: true })
      const store = openIn(directory)
      expect(store.read()[file]).toEqual({ found: 'fault', fault: 'unreadable' })
      expect(await store.write(record)).toEqual({ ok: true })
      expect(store.read()).toEqual({ newest: found, lastGood: found })
      const [movedAway] = readdirSync(directory).filter((name) => name.includes('.set-aside-'))
      expect(readdirSync(path.join(directory, movedAway ?? ''))).toEqual(['inside'])
    },
  )

  test('a file of a size no record has is not read into memory', () => {
    const directory = newFolder()
    mkdirSync(directory, { recursive: true })
    writeFileSync(path.join(directory, fileNames.newest), `"${'x'.repeat(2 * 1024 * 1024)}"`)
    expect(openIn(directory).read().newest).toEqual({ found: 'fault', fault: 'unreadable' })
  })

  if (process.platform !== 'win32') {
    test('a file that can’t be opened now doesn’t count as damaged', () => {
      const directory = newFolder()
      mkdirSync(directory, { recursive: true })
      // No permission stops root; a link in a circle stops everybody.
      symlinkSync(fileNames.newest, path.join(directory, fileNames.newest))
      expect(openIn(directory).read().newest).toEqual({ found: 'fault', fault: 'out-of-reach' })
    })

    test('a pipe in its place does not make the launch wait', () => {
      const directory = newFolder()
      mkdirSync(directory, { recursive: true })
      execFileSync('mkfifo', [path.join(directory, fileNames.newest)])
      expect(openIn(directory).read().newest).toEqual({ found: 'fault', fault: 'unreadable' })
    })
  }

  test('a file where the folder should be: nothing is found, and a write says that it cannot', async () => {
    const directory = newFolder()
    writeFileSync(directory, 'in the way')
    const store = openIn(directory)
    expect(store.read().newest).toEqual({ found: 'nothing' })
    expect(await store.write(record)).toEqual({ ok: false, code: 'store-not-writable' })
    store.setAside()
    expect(readFileSync(directory, 'utf8')).toBe('in the way')
  })

  test('a folder that vanished while the app ran is made again', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write(record)
    rmSync(directory, { recursive: true })
    expect(await store.write(record)).toEqual({ ok: true })
    expect(store.read().newest).toEqual(found)
  })

  test('a file torn after this launch has opened it is set aside at the next write', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write(record)
    writeFileSync(path.join(directory, fileNames.newest), '{"torn":')
    expect(await store.write(record)).toEqual({ ok: true })
    expect(store.read().newest).toEqual(found)
    expect(readdirSync(directory).filter((name) => name.includes('.set-aside-'))).toHaveLength(1)
  })

  test('an electron-store of that name opens it', async () => {
    const directory = newFolder()
    await openIn(directory).write(record)
    const other = new ElectronStore({ cwd: directory, name: 'license' })
    expect(other.store).toEqual(record)
    other.store = { version: 1, sealed: 'written by another one' }
    expect(openIn(directory).read().newest).toEqual({ found: 'json', json: { ...other.store } })
  })
})

describe('a record that another process writes at the same time', () => {
  test('is checked when the new one is ready, and kept if the change is canceled', async () => {
    const directory = newFolder()
    await openIn(directory).write(record)
    let asked = 0
    const outcome = await openIn(directory).write({ version: 1, sealed: 'unwanted' }, () => {
      asked += 1
      return false
    })
    expect([outcome, asked]).toEqual([{ ok: true }, 1])
    expect(openIn(directory).read()).toEqual({ newest: found, lastGood: found })
    expect(readdirSync(directory).sort()).toEqual(['license.json', 'license.last-good.json'])
  })
})

describe('a file that something else holds open, as a virus scanner does', () => {
  test.each(['EPERM', 'EBUSY', 'EACCES'])(
    'is waited for (%s) while the app goes on, and then written',
    async (code) => {
      const directory = newFolder()
      await openIn(directory).write(record)
      const { stdout } = await promisify(execFile)(process.execPath, [
        path.join(import.meta.dirname, 'write-a-held-file.ts'),
        directory,
        code,
      ])
      const { outcome, attempts, longestBlockMs } = JSON.parse(stdout)
      expect(outcome).toEqual({ ok: true })
      // electron-store tries thousands of times, for a second in which nothing else runs.
      expect(attempts).toBeGreaterThan(1)
      expect(attempts).toBeLessThan(100)
      // Loading electron-store takes 70 ms of it.
      expect(longestBlockMs).toBeLessThan(200)
      const document = { version: 1, sealed: 'after the scanner' }
      expect(openIn(directory).read().newest).toEqual({ found: 'json', json: document })
    },
  )

  test('is given up in the end, with the last record whole and nothing left behind', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write(record)
    const holder = createFileHolder(path.join(directory, fileNames.newest))
    holder.isHeld = true
    expect(await store.write({ version: 1, sealed: 'new' })).toEqual({
      ok: false,
      code: 'store-not-writable',
    })
    expect(holder.failed).toBeGreaterThan(1)
    expect(store.read()).toEqual({ newest: found, lastGood: found })
    expect(readdirSync(directory).sort()).toEqual(['license.json', 'license.last-good.json'])
  })

  test('doesn’t lose the write in progress when the app quits', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write(record)
    const holder = createFileHolder(path.join(directory, fileNames.newest))
    holder.isHeld = true
    const last = { version: 1, sealed: 'the last word' }
    const writing = store.write(last)
    await expect.poll(() => holder.failed).toBeGreaterThan(0)
    holder.isHeld = false
    // No process waits for a promise once it ends.
    store.finish()
    store.finish()
    expect(store.read().newest).toEqual({ found: 'json', json: last })
    await writing
    const whole = { found: 'json', json: last }
    expect(store.read()).toEqual({ newest: whole, lastGood: whole })
    expect(readdirSync(directory).sort()).toEqual(['license.json', 'license.last-good.json'])
  })
})

describe('a record that must be on disk before the process ends', () => {
  test('is, unless it may not replace the file', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write({ ...record, sealed: 'before' })
    store.writeNow(record, () => true)
    expect(store.read().newest).toEqual(found)
    store.writeNow({ ...record, sealed: 'other' }, () => false)
    expect(store.read().newest).toEqual(found)
    expect(readdirSync(directory).sort()).toEqual(['license.json', 'license.last-good.json'])
  })

  test('and can’t be written is no error', async () => {
    const directory = newFolder()
    const store = openIn(directory)
    await store.write(record)
    rmSync(directory, { recursive: true })
    writeFileSync(directory, 'a file in place of the folder')
    expect(() => store.writeNow(record, () => true)).not.toThrow()
    expect(store.read().newest).toEqual({ found: 'nothing' })
  })

  test('finishing without a write in progress does nothing', () => {
    const directory = newFolder()
    openIn(directory).finish()
    expect(existsSync(directory)).toBe(false)
  })
})

// A file system of its own is the only honest full disk, and only root can mount one.
const canMount =
  process.platform === 'linux' && process.getuid?.() === 0 && mountTinyDisk(path.join(root, 'probe'))

describe('a disk or folder that can’t be written to', () => {
  if (canMount) {
    test('a full disk is called full, and the record on it stays as it was', async () => {
      const mount = path.join(root, 'full')
      mountTinyDisk(mount)
      try {
        const directory = path.join(mount, 'latchkey')
        const store = openIn(directory)
        await store.write(record)
        fillDisk(path.join(mount, 'ballast'))
        const larger = { ...record, sealed: 'x'.repeat(20_000) }
        expect(await store.write(larger)).toEqual({ ok: false, code: 'disk-full' })
        expect(store.read()).toEqual({ newest: found, lastGood: found })
        rmSync(path.join(mount, 'ballast'))
        expect(await store.write(larger)).toEqual({ ok: true })
      } finally {
        unmount(mount)
      }
    })

    test('a disk with room for half a record is called full, and no half record is written', async () => {
      const mount = path.join(root, 'nearly-full')
      mountTinyDisk(mount)
      try {
        const store = openIn(path.join(mount, 'latchkey'))
        await store.write(record)
        fillDisk(path.join(mount, 'ballast'))
        truncateSync(path.join(mount, 'ballast'), statSync(path.join(mount, 'ballast')).size - 3 * 4096)
        const larger = { ...record, sealed: 'x'.repeat(20_000) }
        expect(await store.write(larger)).toEqual({ ok: false, code: 'disk-full' })
        expect(store.read()).toEqual({ newest: found, lastGood: found })
      } finally {
        unmount(mount)
      }
    })

    test('a read-only disk is called not writable, and still read', async () => {
      const mount = path.join(root, 'read-only')
      mountTinyDisk(mount)
      try {
        const directory = path.join(mount, 'latchkey')
        await openIn(directory).write(record)
        execFileSync('mount', ['-o', 'remount,ro', mount])
        const store = openIn(directory)
        expect(await store.write({ ...record, version: 2 })).toEqual({
          ok: false,
          code: 'store-not-writable',
        })
        store.setAside()
        expect(store.read()).toEqual({ newest: found, lastGood: found })
      } finally {
        unmount(mount)
      }
    })
  } else {
    process.stdout.write('Not run: full and read-only disk, because this user cannot mount a file system\n')
  }

  if (process.getuid?.() !== 0 && process.platform !== 'win32') {
    test('a folder without write permission is called not writable', async () => {
      const directory = newFolder()
      await openIn(directory).write(record)
      chmodSync(directory, 0o500)
      expect(await openIn(directory).write(record)).toEqual({ ok: false, code: 'store-not-writable' })
      chmodSync(directory, 0o700)
    })
  } else {
    process.stdout.write('Not run: folder without write permission, because root may write everywhere\n')
  }
})

function mountTinyDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    if (path.basename(folder) === 'probe') unmount(folder)
    return true
  } catch {
    return false
  }
}

function unmount(folder: string): void {
  execFileSync('umount', [folder])
}

function fillDisk(file: string): void {
  const block = Buffer.alloc(4096)
  for (;;) {
    try {
      writeFileSync(file, block, { flag: 'a' })
    } catch {
      return
    }
  }
}
