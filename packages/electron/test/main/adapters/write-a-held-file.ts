import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { createFileStore } from '../../../src/main/adapters/file-store.ts'

// Run by file-store.test.ts as a process of its own: electron-store keeps the functions that it finds when it is loaded.

const [directory = '', code = ''] = process.argv.slice(2)
const file = path.join(directory, 'license.json')
const { renameSync } = fs
const { rename } = fs.promises
const heldUntilMs = performance.now() + 2_000
let attempts = 0
let longestBlockMs = 0

function refuse(...files: unknown[]): void {
  if (performance.now() > heldUntilMs || !files.includes(file)) return
  attempts += 1
  throw Object.assign(new Error('held'), { code })
}

Object.assign(fs, {
  renameSync(from: string, to: string) {
    refuse(from, to)
    renameSync(from, to)
  },
})
Object.assign(fs.promises, {
  async rename(from: string, to: string) {
    refuse(from, to)
    await rename(from, to)
  },
})
syncBuiltinESMExports()

// Processor time, because other processes may keep this one waiting.
let usage = process.cpuUsage()
function noteTurn(): void {
  const { user, system } = process.cpuUsage(usage)
  usage = process.cpuUsage()
  longestBlockMs = Math.max(longestBlockMs, (user + system) / 1000)
}
const turning = setInterval(noteTurn, 1)
const store = createFileStore({ directory: () => directory, name: 'license' })
const outcome = await store.write({ version: 1, sealed: 'after the scanner' })
noteTurn()
clearInterval(turning)
process.stdout.write(JSON.stringify({ outcome, attempts, longestBlockMs }))
